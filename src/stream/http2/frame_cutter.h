#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "stream/http2/limits.h"

namespace karst::stream::http2 {

// Cuts a stream of frames into whole frame headers and pieces of payload, wherever it was cut
// before. nghttp2 counts a CONTINUATION each time it sees a part of its header, so that without
// this a limit would depend on how TCP cut the stream.
class FrameCutter {
 public:
  // `preface` bytes come before the first frame.
  explicit FrameCutter(std::size_t preface) : payload_left_(preface) {}

  // Takes the next part from the front of `bytes`: borrowed from there or, a header, from this
  // object until the next call. Empty if a header is still incomplete.
  Bytes next(Bytes& bytes) {
    if (payload_left_ > 0) {
      at_header_ = false;
      const Bytes part = take(bytes, payload_left_);
      payload_left_ -= part.size();
      return part;
    }
    at_header_ = true;
    const Bytes part = take(bytes, kFrameHeaderBytes - filled_);
    std::ranges::copy(part, header_.begin() + static_cast<std::ptrdiff_t>(filled_));
    filled_ += part.size();
    if (filled_ < kFrameHeaderBytes) return {};
    filled_ = 0;
    payload_left_ = std::size_t{header_[0]} << 16 | std::size_t{header_[1]} << 8 | header_[2];
    return header_;
  }

  // Whether the last part was a header.
  bool at_header() const { return at_header_; }

 private:
  static Bytes take(Bytes& bytes, std::size_t most) {
    const Bytes part = bytes.first(std::min(most, bytes.size()));
    bytes = bytes.subspan(part.size());
    return part;
  }

  std::array<std::uint8_t, kFrameHeaderBytes> header_{};
  std::size_t filled_ = 0;
  std::size_t payload_left_;
  bool at_header_ = false;
};

}  // namespace karst::stream::http2
