#include "stream/mux/receive_window.h"

#include <algorithm>

namespace karst::stream::mux {
namespace {

// Nothing to read for this part of a round trip is a pause.
constexpr int kPauseShare = 4;

}  // namespace

void ReceiveWindow::handle_arrival(std::uint64_t taken, TimePoint now, Duration rtt) {
  if (now - taken_at_ <= rtt / kPauseShare) return;
  mark_ = taken;
  marked_ = now;
}

bool ReceiveWindow::handle_taken(std::uint64_t taken, std::uint64_t unread, TimePoint now,
                                 Duration rtt, std::uint64_t cap) {
  taken_at_ = now;
  if (taken - mark_ < size_ / 4) return false;
  const Duration elapsed = now - marked_;
  mark_ = taken;
  marked_ = now;
  const Duration round = std::max(rtt, kRoundMin);
  if (elapsed > round || unread > size_ / 4) return false;
  const std::uint64_t wanted = elapsed > round / 2 ? 2 * size_ : 4 * size_;
  const std::uint64_t before = size_;
  size_ = std::max(size_, std::min(wanted, cap));
  return size_ > before;
}

void ReceiveWindow::shrink(std::uint64_t cap) { size_ = std::min(size_, cap); }

}  // namespace karst::stream::mux
