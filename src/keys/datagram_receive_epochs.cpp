#include "keys/datagram_receive_epochs.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace karst::keys {

DatagramReceiveEpochs::DatagramReceiveEpochs(const LinkParameters& parameters,
                                             const EpochRoot& root_0)
    : policy_(parameters.policy), forgeries_(forgery_limit(parameters.aead)) {
  add_prepared(derive_epoch_secret(root_0, Carrier::datagram, parameters.aead));
}

void DatagramReceiveEpochs::add_prepared(EpochSecret secret) {
  entries_.push_back({std::move(secret), EpochBudget(policy_)});
}

std::optional<PacketKey> DatagramReceiveEpochs::find(std::uint16_t epoch_low_bits,
                                                     TimePoint now) const {
  // The accepted epochs are consecutive and fewer than 2^16, so the distance from the oldest is
  // the distance of the low bits.
  const auto distance = static_cast<std::uint16_t>(epoch_low_bits - oldest_);
  if (distance >= entries_.size()) return std::nullopt;
  const std::uint64_t epoch = oldest_ + distance;
  const Entry& found = entries_[distance];
  if (found.wiped || (epoch < current_ && now >= found.retire_at)) return std::nullopt;
  if (epoch == current_ && now >= current_end().value_or(TimePoint::max())) return std::nullopt;
  return PacketKey{epoch, &found.secret};
}

Result<void> DatagramReceiveEpochs::authenticated(std::uint64_t epoch, RecordClass record,
                                                  std::size_t bytes, Duration rtt, TimePoint now) {
  CHECK(epoch >= oldest_ && epoch <= newest());
  if (epoch > current_) make_current(epoch, now + std::max(3 * rtt, kRetiredKeptMin));
  EpochBudget& budget = entry(epoch).budget;
  if (!budget.admits(record, bytes)) return kBudgetExceeded;
  budget.add(record, bytes, now);
  counters_.add(record, bytes);
  return {};
}

void DatagramReceiveEpochs::make_current(std::uint64_t epoch, TimePoint retire_at) {
  left_share_ += entry(current_).budget.share();
  for (; current_ < epoch; ++current_) {
    entry(current_).retire_at = retire_at;
    if (!entry(current_).wiped) ++retired_held_;
  }
  next_retirement_ = std::min(next_retirement_.value_or(retire_at), retire_at);
  while (current_ - oldest_ > kRetiredEpochsMax) drop_oldest();
}

void DatagramReceiveEpochs::drop_oldest() {
  if (!entries_.front().wiped) --retired_held_;
  entries_.pop_front();
  ++oldest_;
}

void DatagramReceiveEpochs::retire_due(TimePoint now) {
  if (!next_retirement_ || now < *next_retirement_) return;
  next_retirement_.reset();
  for (std::uint64_t epoch = oldest_; epoch < current_; ++epoch) {
    Entry& retired = entry(epoch);
    if (retired.wiped) continue;
    if (retired.retire_at > now) {
      next_retirement_ = std::min(next_retirement_.value_or(retired.retire_at), retired.retire_at);
      continue;
    }
    retired.secret.wipe();
    retired.wiped = true;
    --retired_held_;
  }
  while (oldest_ < current_ && entries_.front().wiped) drop_oldest();
}

void DatagramReceiveEpochs::end() {
  while (oldest_ < current_) drop_oldest();
  while (entries_.size() > 1) entries_.pop_back();
  entries_.front().secret.wipe();
  entries_.front().wiped = true;
  next_retirement_.reset();
}

std::optional<TimePoint> DatagramReceiveEpochs::current_end() const {
  const auto first = entry(current_).budget.first_record();
  if (!first || entry(current_).wiped) return std::nullopt;
  return *first + max_epoch_age(policy_) + kReceiverExtraAge;
}

std::optional<TimePoint> DatagramReceiveEpochs::next_deadline() const {
  const auto end = current_end();
  if (!end || !next_retirement_) return end ? end : next_retirement_;
  return std::min(*end, *next_retirement_);
}

void DatagramReceiveEpochs::handle_deadline(TimePoint now) {
  retire_due(now);
  if (now >= current_end().value_or(TimePoint::max())) {
    entry(current_).secret.wipe();
    entry(current_).wiped = true;
  }
}

}  // namespace karst::keys
