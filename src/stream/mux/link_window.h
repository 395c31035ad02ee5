#pragma once

#include <algorithm>
#include <cstdint>

#include "wire/limits.h"

// Credit of the whole link, and why a stalled reader stalls only its own stream.
//
// The link's window bounds the sum over its streams of what each has outstanding (sent and not
// said to be taken) beyond its first kStreamPrivateBytes. Both sides compute the same sum from the
// same frames: what the receiver knows is never more than what the sender knew, since frames
// arrive in order, so a sum above the window is a proven fault of the sender.
//
// 1. Liveness. The private bytes of a stream depend on nothing but its own reader. So whatever
//    other streams hold, a stream whose reader reads always has room for another 32 KiB.
// 2. Speed. A stream's window is never made larger than three quarters of what the other streams
//    leave of the link's largest window (stream_window_cap). One that stalls while it holds all
//    of its window leaves a quarter to the rest, a second one a quarter of that, and so on: with
//    128 MiB, one stalled stream leaves at least 32 MiB, more than 1 Gbit/s times 210 ms. (Several
//    that got large windows while all were read and then stall together can use up the link: the
//    others are then as slow as 32 KiB in a round trip, but they move.)
// 3. Memory. What a link holds is at most its window and the private bytes of all its streams:
//    128 MiB + 1,024 x 32 KiB = 160 MiB with default limits.
//
// Why not a link credit that moves with the total of bytes taken, as in HTTP/2: there the bytes of
// a stalled stream stay charged to the link for as long as it stalls, and as a stream's credit
// cannot be taken back, a few stalled streams with large windows stop all others. Why windows of
// streams may add up to more than the link's: a stream that once was fast and is now idle keeps
// its credit; were it reserved, a handful of idle streams would use up the link.
//
// Why these first sizes: a stream's 1 MiB is 40 Mbit/s at 210 ms in the first round trip, and the
// window then grows fourfold in each (receive_window.h), faster than TCP's slow start below it, so
// that a fresh stream on a fresh link is never held back, and one on a warm link for three
// round trips. They cost no memory before there are bytes. The link's 4 MiB is room for several
// such streams, and all that a peer that has never been seen to read can make us hold.
namespace karst::stream::mux {

class LinkWindow {
 public:
  explicit LinkWindow(std::uint64_t size) : size_(size) {}

  std::uint64_t size() const { return size_; }
  // Only ever larger.
  void grow(std::uint64_t size) { size_ = std::max(size_, size); }

  // A stream has `after` outstanding, where it had `before`.
  void change(std::uint64_t before, std::uint64_t after) {
    used_ += charged(after);
    used_ -= charged(before);
  }
  std::uint64_t used() const { return used_; }
  bool exceeded() const { return used_ > size_; }
  // What a stream that has `outstanding` may send as far as the link goes.
  std::uint64_t room(std::uint64_t outstanding) const {
    const std::uint64_t shared = size_ > used_ ? size_ - used_ : 0;
    const std::uint64_t own =
        wire::kStreamPrivateBytes - std::min(outstanding, wire::kStreamPrivateBytes);
    return shared + own;
  }
  // What counts of a stream's outstanding bytes.
  static std::uint64_t charged(std::uint64_t outstanding) {
    return outstanding - std::min(outstanding, wire::kStreamPrivateBytes);
  }

 private:
  std::uint64_t size_;
  std::uint64_t used_ = 0;
};

// How large the window of one stream may be made while all others together are charged `others`
// of a link window that may become `link_max`.
inline std::uint64_t stream_window_cap(std::uint64_t link_max, std::uint64_t others) {
  return link_max > others ? (link_max - others) / 4 * 3 : 0;
}

}  // namespace karst::stream::mux
