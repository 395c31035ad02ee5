#pragma once

#include <cstdint>

#include "base/time.h"

namespace karst::stream::mux {

// How far ahead of its reader a sender may be: for one stream, or for the whole link. Starts
// moderate and grows while the reader keeps up, so that the window follows the reader's rate times
// the round trip, with headroom, and is never more than the reader has shown to use.
//
// A window is too small for a reader that takes half of it within two round trips: it doubles. A
// reader that takes half within one round trip is clearly held back by it: it grows fourfold, so
// that a stream which starts on a fast path of 210 ms has 1, 4, 16 and 64 MiB in its first four
// round trips. It ends between four and eight times the reader's rate times the round trip (or at
// the cap): one of these is in flight, one is on its way back as credit, the rest pays for the
// repair of losses, during which nothing is delivered and then much at once.
//
// Time in which there was nothing to read is not the reader's: a window that is too small makes the
// sender pause for most of a round trip, and to count that would hide what the reader can do.
class ReceiveWindow {
 public:
  explicit ReceiveWindow(std::uint64_t initial) : size_(initial) {}

  std::uint64_t size() const { return size_; }

  // Bytes come in while nothing is held.
  void handle_arrival(std::uint64_t taken, TimePoint now, Duration rtt);
  // The reader has taken `taken` bytes in all. True if the window has grown, to at most `cap`.
  bool handle_taken(std::uint64_t taken, TimePoint now, Duration rtt, std::uint64_t cap);
  // Memory is short: no more than `cap`.
  void shrink(std::uint64_t cap);

 private:
  std::uint64_t size_;
  // The measurement that is going on: since when, and from which byte.
  std::uint64_t mark_ = 0;
  TimePoint marked_{};
  TimePoint taken_at_{};  // the last time that anything was taken
};

}  // namespace karst::stream::mux
