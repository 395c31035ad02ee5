#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/epoch_budget.h"
#include "keys/epoch_secret.h"
#include "keys/link_secrets.h"
#include "keys/ratchet_error.h"

namespace karst::keys {

// The epochs of the direction that this end opens, stream carrier: the current one and the
// prepared ones behind it. A record belongs to the current epoch or to the next prepared one, and
// its sequence is exactly the one after the last. Owned by LinkRatchet; one thread.
//
// For each record: open(), then count() with what the plaintext turned out to hold. Every error
// is final for the link.
class StreamReceiveEpochs {
 public:
  StreamReceiveEpochs(const LinkParameters& parameters, const EpochRoot& root_0);
  StreamReceiveEpochs(const StreamReceiveEpochs&) = delete;
  StreamReceiveEpochs& operator=(const StreamReceiveEpochs&) = delete;

  // Decrypts `text` in place; `header` is the associated data from which epoch and sequence were
  // read. The first authentic record of the next epoch retires the current one. kWrongSequence,
  // kWrongEpoch, kEpochExpired, kRecordNotAuthentic (then `text` is wiped).
  Result<void> open(std::uint64_t epoch, std::uint64_t sequence, Bytes header, MutableBytes text,
                    std::span<const std::uint8_t, crypto::kAeadTagBytes> tag, TimePoint now);
  // Counts the record just opened. kBudgetExceeded.
  Result<void> count(RecordClass record, std::size_t bytes, TimePoint now);

  // The epoch after the newest one prepared has been answered.
  void add_prepared(EpochSecret secret) { prepared_.push_back(std::move(secret)); }

  // The link is over: all keys go, and nothing more can be opened.
  void end();

  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(TimePoint now);

  // The highest epoch of which a record has authenticated.
  std::uint64_t current() const { return current_; }
  // How many records have authenticated.
  std::uint64_t opened() const { return sequence_; }
  std::size_t prepared() const { return prepared_.size(); }
  // Kept only on the datagram carrier.
  std::size_t retired() const { return 0; }
  // The counted budget received so far, in 2^-20 of an epoch (EpochBudget::share).
  std::uint64_t received_share() const { return left_share_ + budget_.share(); }
  const RecordCounters& counters() const { return counters_; }

 private:
  void enter_next();

  const EpochPolicy policy_;
  std::uint64_t current_ = 0;
  std::uint64_t sequence_ = 0;    // of the record that is due
  std::uint64_t left_share_ = 0;  // of the epochs that were left
  EpochBudget budget_;
  bool wiped_ = false;  // the current epoch outlived its age
  OpeningChain chain_;
  OpeningChain next_chain_;  // keyed only while the next epoch's first record is opened
  std::deque<EpochSecret> prepared_;
  RecordCounters counters_;
};

}  // namespace karst::keys
