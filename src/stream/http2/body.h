#pragma once

#include <cstddef>
#include <deque>

#include "base/bytes.h"

namespace karst::stream::http2 {

// Where the bytes of one stream's body come from, asked when a DATA frame can be sent: whoever
// implements it decides as late as possible what goes next. Stored by the session, borrowed, from
// request() or respond() until Visitor::on_closed of that stream (or the session's end).
//
// The order of calls: next(), and if that announced bytes, write() with exactly that much space,
// perhaps in a later poll_output(), before the following next(). If the stream dies in between,
// write() is not called. Neither may call back into the session.
class BodySource {
 public:
  struct Chunk {
    std::size_t bytes = 0;
    bool end = false;  // nothing comes after these bytes
  };

  virtual ~BodySource() = default;
  // How much goes into the next DATA frame: at most `max` (which is at least 1, and limited by
  // both windows and kMaxDataBytes). 0 without `end` means nothing now: the session asks again
  // after resume().
  virtual Chunk next(std::size_t max) = 0;
  virtual void write(MutableBytes space) = 0;
};

// A BodySource that is a queue of ready messages. A message starts a DATA frame of its own and is
// split only where window or frame size end; several small ones do not share a frame. It has no
// bound: whoever pushes looks at bytes() first. After push() and finish(): Session::resume().
class MessageQueue final : public BodySource {
 public:
  void push(ByteVector message);
  // The stream ends after what is queued.
  void finish() { finished_ = true; }

  // Bytes not yet handed to the session.
  std::size_t bytes() const { return bytes_; }
  std::size_t messages() const { return messages_.size(); }
  bool finished() const { return finished_; }

  Chunk next(std::size_t max) override;
  void write(MutableBytes space) override;

 private:
  std::deque<ByteVector> messages_;
  std::size_t written_ = 0;  // of the first message
  std::size_t bytes_ = 0;
  bool finished_ = false;
};

}  // namespace karst::stream::http2
