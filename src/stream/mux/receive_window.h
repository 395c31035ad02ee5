#pragma once

#include <cstdint>

#include "base/time.h"

namespace karst::stream::mux {

// How far ahead of its reader a sender may be: for one stream, or for the whole link. Starts
// moderate and grows while the reader keeps up, so that the window follows the reader's rate times
// the round trip, with headroom, and is never more than the reader has shown to use.
//
// A window is too small for a reader that takes a quarter of it within one round: it doubles. A
// reader that takes a quarter within half a round is clearly held back by it: it grows fourfold. So
// it ends between four and eight times the reader's rate times the round (or at the cap): one of
// these is in flight, one is on its way back as credit, and since TCP below may send three times as
// much in each round trip of its start, no less will do there. The rest pays for the repair of
// losses, during which nothing is delivered and then much at once. A round is the path's round
// trip, and at least kRoundMin: queues on the path and repairs make what a sender waits for longer
// than the round trip that was measured. Measurements: docs/decisions/windows-for-a-second.md.
//
// A reader that leaves more than a quarter of the window unread is the one that holds up, and a
// larger window would only hold more of what it does not read. So with a reader slower than the
// path it ends lower, at four thirds of its rate times the round or above.
//
// Time in which there was nothing to read is not the reader's: a window that is too small makes the
// sender pause for most of a round trip, and to count that would hide what the reader can do.
class ReceiveWindow {
 public:
  static constexpr Duration kRoundMin = std::chrono::milliseconds(300);

  explicit ReceiveWindow(std::uint64_t initial) : size_(initial) {}

  std::uint64_t size() const { return size_; }

  // Bytes come in while nothing is held.
  void handle_arrival(std::uint64_t taken, TimePoint now, Duration rtt);
  // The reader has taken `taken` bytes in all, and `unread` are there for it. True if the window
  // has grown, to at most `cap`.
  bool handle_taken(std::uint64_t taken, std::uint64_t unread, TimePoint now, Duration rtt,
                    std::uint64_t cap);
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
