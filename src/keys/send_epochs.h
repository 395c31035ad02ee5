#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/log_histogram.h"
#include "base/time.h"
#include "keys/epoch_budget.h"
#include "keys/epoch_secret.h"
#include "keys/link_secrets.h"

namespace karst::keys {

// Where a record or packet stands in its direction.
struct SealSlot {
  std::uint64_t epoch = 0;
  std::uint64_t sequence = 0;  // datagram carrier: the packet number
};

struct SendEpochCounters {
  RecordCounters records;
  LogHistogram records_per_epoch;  // counted records of each epoch that was left
  LogHistogram bytes_per_epoch;
};

// The epochs of the direction that this end seals, either carrier: the current one, the prepared
// ones behind it, what the current one has carried and when its key must go. It knows nothing of
// the exchange that prepares epochs (offer_sender.h). Owned by LinkRatchet; one thread.
//
// For each record: can_seal(), then begin_record(), then seal() (stream carrier) or packet_key()
// (datagram carrier).
class SendEpochs {
 public:
  SendEpochs(const LinkParameters& parameters, const EpochRoot& root_0);
  SendEpochs(const SendEpochs&) = delete;
  SendEpochs& operator=(const SendEpochs&) = delete;

  // Whether a record of this class with so much plaintext can be sealed now, under the current
  // epoch or by entering the next. Changes nothing but that it wipes a key whose age has come.
  bool can_seal(RecordClass record, std::size_t bytes, TimePoint now);
  // Enters the next epoch if the current one does not admit the record, counts the record and
  // gives it its place. can_seal() must have said yes with the same arguments.
  SealSlot begin_record(RecordClass record, std::size_t bytes, TimePoint now);

  // Stream carrier: seals the record just begun. `header` is the associated data.
  void seal(Bytes header, MutableBytes text, std::span<std::uint8_t, crypto::kAeadTagBytes> tag) {
    chain_.seal(header, text, tag);
  }
  // Datagram carrier: the AEAD key of the epoch of the packet just begun; the nonce is
  // packet_nonce(sequence). The reference lives until the next call of this object.
  const EpochSecret& packet_key() const { return packet_key_; }

  // The epoch after the newest one prepared is ready to be entered.
  void add_prepared(EpochSecret secret) { prepared_.push_back(std::move(secret)); }

  // When the current key must be wiped; handle_deadline() does it and sends nothing.
  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(TimePoint now) { wipe_if_aged(now); }

  // The link is over: prepared keys go. What can still seal a closing message stays until its age:
  // the current key, or the next one where that is used up.
  void end();

  const EpochPolicy& policy() const { return policy_; }
  std::uint64_t current() const { return current_; }
  std::size_t prepared() const { return prepared_.size(); }
  // Grows with each counted record and the first record of each epoch: what paces offers.
  std::uint64_t progress() const { return progress_; }
  const SendEpochCounters& counters() const { return counters_; }

 private:
  bool current_admits(RecordClass record, std::size_t bytes, TimePoint now) const;
  void enter_next();
  void load(EpochSecret secret);
  void wipe_if_aged(TimePoint now);

  const Carrier carrier_;
  const EpochPolicy policy_;
  std::uint64_t current_ = 0;
  std::uint64_t sequence_ = 0;
  std::uint64_t progress_ = 0;
  EpochBudget budget_;
  bool wiped_ = false;  // the current epoch's key is gone; only a prepared epoch can seal
  SealingChain chain_;
  EpochSecret packet_key_;
  std::deque<EpochSecret> prepared_;
  SendEpochCounters counters_;
};

// The nonce of the datagram carrier: 4 zero bytes, then the packet number.
std::array<std::uint8_t, crypto::kAeadNonceBytes> packet_nonce(std::uint64_t packet_number);

}  // namespace karst::keys
