#pragma once

#include <algorithm>
#include <cstddef>

#include "base/bytes.h"
#include "base/writer.h"
#include "wire/frame.h"

namespace karst::stream::mux {

// Packs frames into the space of one record, without going beyond `target` except for a first
// frame that cannot be smaller.
class RecordWriter {
 public:
  RecordWriter(MutableBytes space, std::size_t target)
      : out_(space), target_(std::min(target, space.size())) {}

  // A frame with this payload can follow.
  bool fits(std::size_t payload) const {
    const std::size_t end = out_.written() + wire::kFrameHeaderBytes + payload;
    return end <= (empty() ? out_.written() + out_.room() : target_);
  }
  // The largest payload that a frame which can have any size may have; 0 if none.
  std::size_t room() const {
    const std::size_t end = out_.written() + wire::kFrameHeaderBytes;
    return end < target_ ? target_ - end : 0;
  }

  // Starts a frame that fits; the caller writes exactly its payload.
  Writer& frame(wire::FrameType type, wire::StreamId stream, std::size_t payload) {
    wire::write_frame_header(out_, type, stream, payload);
    counted_ = counted_ || wire::is_counted(type);
    return out_;
  }

  bool empty() const { return out_.written() == 0; }
  std::size_t size() const { return out_.written(); }
  bool counted() const { return counted_; }

 private:
  Writer out_;
  std::size_t target_;
  bool counted_ = false;
};

}  // namespace karst::stream::mux
