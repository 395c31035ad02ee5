#include "stream/mux/receive_credit.h"

#include <algorithm>

namespace karst::stream::mux {

std::uint64_t ReceiveCredit::link_window_max() const {
  return std::max(wire::kLinkWindowInitial,
                  std::min<std::uint64_t>(limits_.link_window, budget_.share()));
}

void ReceiveCredit::handle_arrival(ReceiveHalf& half, TimePoint now, Duration rtt) {
  if (half.queue().empty()) half.window().handle_arrival(half.taken(), now, rtt);
  growth_.handle_arrival(taken_, now, rtt);
}

bool ReceiveCredit::handle_taken(ReceiveHalf& half, std::size_t count, std::size_t streams,
                                 TimePoint now, Duration rtt) {
  taken_ += count;
  const std::uint64_t link_max = link_window_max();
  const std::uint64_t others = window_.used() - LinkWindow::charged(half.outstanding());
  const std::uint64_t cap = std::max(
      wire::kStreamPrivateBytes, std::min({limits_.stream_window, std::uint64_t{budget_.share()},
                                           stream_window_cap(link_max, others)}));
  half.window().shrink(cap);
  half.window().handle_taken(half.taken(), half.queue().size(), now, rtt, cap);
  // What a single stream leaves unread says nothing of the others.
  growth_.handle_taken(taken_, 0, now, rtt, link_max);
  // A stream that may use three quarters of the link needs a link of that size.
  const std::uint64_t wanted = half.window().size() / 3 * 4;
  window_.grow(std::min(link_max, std::max(growth_.size(), wanted)));
  const bool last = half.finished() && half.queue().empty();
  // A window that memory made small may grow often; what is said of it is bounded all the same
  // (docs/protocol/mux.md, Floods).
  const bool growth = half.grown() && half.unreported() >= kBytesBetweenCredits;
  return growth || last || half.unreported() >= report_threshold(half, streams);
}

// Unsaid bytes of all streams together must never use up the link's window while nobody holds
// them. With L / (16 n) at n streams, and n growing from 1 to N meanwhile, they add up to at most
// L / 16 x (1 + 1/2 + ... + 1/N), which is less than half of L for 1,024 streams.
std::uint64_t ReceiveCredit::report_threshold(const ReceiveHalf& half, std::size_t streams) const {
  const std::uint64_t share_of_link = window_.size() / (16 * std::max<std::size_t>(streams, 1));
  return std::max(wire::kStreamPrivateBytes, std::min(half.window().size() / 4, share_of_link));
}

}  // namespace karst::stream::mux
