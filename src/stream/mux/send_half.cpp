#include "stream/mux/send_half.h"

#include <algorithm>

#include "base/check.h"
#include "stream/mux/error.h"

namespace karst::stream::mux {

void SendHalf::commit(std::size_t written) {
  if (written > 0) queue_.commit(written);
  if (queue_.empty()) queue_ = ByteQueue();
}

void SendHalf::finish() {
  if (state_ == State::open) state_ = State::finishing;
}

void SendHalf::drop() {
  if (state_ != State::finished) state_ = State::dropped;
  queue_ = ByteQueue();
}

std::size_t SendHalf::sendable() const {
  return static_cast<std::size_t>(std::min<std::uint64_t>(queue_.size(), limit_ - sent_));
}

void SendHalf::write(MutableBytes out) {
  CHECK(out.size() <= sendable());
  queue_.copy_out(0, out);
  queue_.consume(out.size());
  if (queue_.empty()) queue_.release_spare();
  sent_ += out.size();
}

void SendHalf::fin_sent() {
  CHECK(fin_due());
  state_ = State::finished;
}

Result<void> SendHalf::handle_credit(const wire::StreamCredit& credit) {
  if (credit.taken > sent_) return kCreditBeyondSent;
  if (credit.taken < taken_ || credit.limit < limit_ ||
      (credit.taken == taken_ && credit.limit == limit_)) {
    return kCreditBackwards;
  }
  taken_ = credit.taken;
  limit_ = credit.limit;
  return {};
}

}  // namespace karst::stream::mux
