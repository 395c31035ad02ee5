#include "keys/send_epochs.h"

#include <utility>

#include "base/check.h"
#include "base/writer.h"

namespace karst::keys {

SendEpochs::SendEpochs(const LinkParameters& parameters, const EpochRoot& root_0)
    : carrier_(parameters.carrier), policy_(parameters.policy), budget_(parameters.policy) {
  load(derive_epoch_secret(root_0, parameters.carrier, parameters.aead));
}

bool SendEpochs::current_admits(RecordClass record, std::size_t bytes, TimePoint now) const {
  return !wiped_ && budget_.admits(record, bytes) &&
         (record == RecordClass::uncounted || budget_.active_admits(now));
}

bool SendEpochs::can_seal(RecordClass record, std::size_t bytes, TimePoint now) {
  wipe_if_aged(now);
  return current_admits(record, bytes, now) || !prepared_.empty();
}

SealSlot SendEpochs::begin_record(RecordClass record, std::size_t bytes, TimePoint now) {
  CHECK(can_seal(record, bytes, now));
  if (!current_admits(record, bytes, now)) enter_next();
  CHECK(budget_.admits(record, bytes));
  CHECK(sequence_ >> 56 == 0);  // the packet number has 56 bits; at 10^7 per second 228 years
  if (record == RecordClass::counted || !budget_.first_record()) ++progress_;
  budget_.add(record, bytes, now);
  counters_.records.add(record, bytes);
  return {current_, sequence_++};
}

void SendEpochs::enter_next() {
  counters_.records_per_epoch.add(budget_.frames());
  counters_.bytes_per_epoch.add(budget_.bytes());
  ++current_;
  budget_ = EpochBudget(policy_);
  load(std::move(prepared_.front()));
  prepared_.pop_front();
}

void SendEpochs::load(EpochSecret secret) {
  wiped_ = false;
  if (carrier_ == Carrier::stream) {
    chain_.start(std::move(secret));
  } else {
    packet_key_ = std::move(secret);
  }
}

void SendEpochs::end() {
  const bool current_seals = !wiped_ && budget_.admits(RecordClass::uncounted, 0);
  while (prepared_.size() > (current_seals ? 0u : 1u)) prepared_.pop_back();
}

std::optional<TimePoint> SendEpochs::next_deadline() const {
  if (wiped_ || !budget_.first_record()) return std::nullopt;
  return *budget_.first_record() + max_epoch_age(policy_);
}

void SendEpochs::wipe_if_aged(TimePoint now) {
  const auto end = next_deadline();
  if (!end || now < *end) return;
  wiped_ = true;
  if (carrier_ == Carrier::stream) {
    chain_.wipe();
  } else {
    packet_key_.wipe();
  }
}

std::array<std::uint8_t, crypto::kAeadNonceBytes> packet_nonce(std::uint64_t packet_number) {
  std::array<std::uint8_t, crypto::kAeadNonceBytes> nonce{};
  Writer(MutableBytes(nonce).subspan(4)).u64(packet_number);
  return nonce;
}

}  // namespace karst::keys
