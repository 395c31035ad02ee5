#include "stream/mux/receive_half.h"

#include <algorithm>

#include "stream/mux/error.h"

namespace karst::stream::mux {

Result<void> ReceiveHalf::handle_data(Bytes bytes) {
  if (finished_) return kAfterFin;
  if (bytes.size() > limit_ - received_) return kBeyondStreamCredit;
  received_ += bytes.size();
  if (!dropped_) queue_.append(bytes);
  return {};
}

Result<void> ReceiveHalf::handle_fin(std::uint64_t final) {
  if (finished_) return kAfterFin;
  if (final != received_) return kFinalWrong;
  finished_ = true;
  return {};
}

void ReceiveHalf::consume(std::size_t count) {
  queue_.consume(count);
  if (queue_.empty()) queue_.release_spare();
}

void ReceiveHalf::drop() {
  dropped_ = true;
  queue_ = ByteQueue();
}

wire::StreamCredit ReceiveHalf::report() {
  reported_ = taken();
  limit_ = std::max(limit_, std::min(reported_ + window_.size(), wire::kOffsetMax));
  return {reported_, limit_};
}

}  // namespace karst::stream::mux
