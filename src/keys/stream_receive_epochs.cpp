#include "keys/stream_receive_epochs.h"

#include <utility>

namespace karst::keys {

StreamReceiveEpochs::StreamReceiveEpochs(const LinkParameters& parameters, const EpochRoot& root_0)
    : policy_(parameters.policy), budget_(parameters.policy) {
  chain_.start(derive_epoch_secret(root_0, Carrier::stream, parameters.aead));
}

Result<void> StreamReceiveEpochs::open(std::uint64_t epoch, std::uint64_t sequence, Bytes header,
                                       MutableBytes text,
                                       std::span<const std::uint8_t, crypto::kAeadTagBytes> tag,
                                       TimePoint now) {
  if (sequence != sequence_) return kWrongSequence;
  if (epoch == current_) {
    handle_deadline(now);
    if (wiped_) return kEpochExpired;
    if (!chain_.open(header, text, tag).ok()) return kRecordNotAuthentic;
  } else {
    if (epoch != current_ + 1 || prepared_.empty()) return kWrongEpoch;
    next_chain_.start(prepared_.front().duplicate());
    if (!next_chain_.open(header, text, tag).ok()) {
      next_chain_.wipe();
      return kRecordNotAuthentic;
    }
    enter_next();
  }
  ++sequence_;
  return {};
}

void StreamReceiveEpochs::enter_next() {
  prepared_.pop_front();
  std::swap(chain_, next_chain_);
  next_chain_.wipe();
  wiped_ = false;
  left_share_ += budget_.share();
  budget_ = EpochBudget(policy_);
  ++current_;
}

Result<void> StreamReceiveEpochs::count(RecordClass record, std::size_t bytes, TimePoint now) {
  if (!budget_.admits(record, bytes)) return kBudgetExceeded;
  budget_.add(record, bytes, now);
  counters_.add(record, bytes);
  return {};
}

void StreamReceiveEpochs::end() {
  wiped_ = true;
  chain_.wipe();
  next_chain_.wipe();
  prepared_.clear();
}

std::optional<TimePoint> StreamReceiveEpochs::next_deadline() const {
  if (wiped_ || !budget_.first_record()) return std::nullopt;
  return *budget_.first_record() + max_epoch_age(policy_) + kReceiverExtraAge;
}

void StreamReceiveEpochs::handle_deadline(TimePoint now) {
  const auto end = next_deadline();
  if (!end || now < *end) return;
  wiped_ = true;
  chain_.wipe();
}

}  // namespace karst::keys
