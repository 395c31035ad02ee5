#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/result.h"
#include "base/time.h"
#include "keys/epoch_budget.h"
#include "keys/epoch_secret.h"
#include "keys/link_secrets.h"
#include "keys/ratchet_error.h"

namespace karst::keys {

inline constexpr std::uint64_t kRetiredEpochsMax = 1024;
inline constexpr Duration kRetiredKeptMin = std::chrono::milliseconds(250);

// The most packets that may fail to authenticate on a link.
inline constexpr std::uint64_t forgery_limit(crypto::AeadKind aead) {
  return aead == crypto::AeadKind::aes_256_gcm ? 1ull << 52 : 1ull << 36;
}

// Packets that failed to authenticate, against a limit.
class ForgeryCount {
 public:
  explicit ForgeryCount(std::uint64_t limit) : limit_(limit) {}
  Result<void> add() {
    if (++count_ >= limit_) return kTooManyForgeries;
    return {};
  }
  std::uint64_t count() const { return count_; }

 private:
  std::uint64_t limit_;
  std::uint64_t count_ = 0;
};

// A key that may open a packet. The pointer lives until the next non-const call of the store.
struct PacketKey {
  std::uint64_t epoch = 0;
  const EpochSecret* secret = nullptr;
};

// The epochs of the direction that this end opens, datagram carrier: retired ones for a short
// while, the current one, and the prepared ones. A pure store: it opens nothing itself, knows no
// packet number and has no replay window. Owned by LinkRatchet; one thread.
//
// For each packet that passed the replay window: find(), open it with that key, then
// authenticated() or forged().
class DatagramReceiveEpochs {
 public:
  DatagramReceiveEpochs(const LinkParameters& parameters, const EpochRoot& root_0);
  DatagramReceiveEpochs(const DatagramReceiveEpochs&) = delete;
  DatagramReceiveEpochs& operator=(const DatagramReceiveEpochs&) = delete;

  // The one accepted epoch with these low bits, or nothing: then the packet is dropped.
  std::optional<PacketKey> find(std::uint16_t epoch_low_bits, TimePoint now) const;
  // A packet of `epoch`, which find() gave, has authenticated. If the epoch is newer than the
  // current one it becomes current, and all before it are retired: their keys go
  // max(3 x rtt, 250 ms) from now. kBudgetExceeded is final for the link.
  Result<void> authenticated(std::uint64_t epoch, RecordClass record, std::size_t bytes,
                             Duration rtt, TimePoint now);
  // A packet failed to authenticate under the key that find() gave. kTooManyForgeries is final.
  Result<void> forged() { return forgeries_.add(); }

  // The epoch after the newest one prepared has been answered.
  void add_prepared(EpochSecret secret);

  // The link is over: all keys go, and find() gives none.
  void end();

  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(TimePoint now);

  std::uint64_t current() const { return current_; }
  std::size_t prepared() const { return static_cast<std::size_t>(newest() - current_); }
  // Retired epochs whose keys are still held.
  std::size_t retired() const { return retired_held_; }
  std::uint64_t received_share() const { return left_share_ + entry(current_).budget.share(); }
  std::uint64_t forgeries() const { return forgeries_.count(); }
  const RecordCounters& counters() const { return counters_; }

 private:
  struct Entry {
    EpochSecret secret;
    EpochBudget budget;
    TimePoint retire_at{};  // of a retired epoch
    bool wiped = false;     // it outlived its age while it was current, or retire_at has come
  };
  std::uint64_t newest() const { return oldest_ + entries_.size() - 1; }
  Entry& entry(std::uint64_t epoch) { return entries_[static_cast<std::size_t>(epoch - oldest_)]; }
  const Entry& entry(std::uint64_t epoch) const {
    return entries_[static_cast<std::size_t>(epoch - oldest_)];
  }
  void make_current(std::uint64_t epoch, TimePoint retire_at);
  void retire_due(TimePoint now);
  void drop_oldest();
  std::optional<TimePoint> current_end() const;

  const EpochPolicy policy_;
  std::uint64_t oldest_ = 0;  // the epoch of entries_.front()
  std::uint64_t current_ = 0;
  std::uint64_t left_share_ = 0;
  std::size_t retired_held_ = 0;
  // The earliest retire_at of those. Their order is not that of the epochs: the round trip by which
  // it is reckoned also falls.
  std::optional<TimePoint> next_retirement_;
  ForgeryCount forgeries_;
  std::deque<Entry> entries_;  // oldest_ .. the newest prepared
  RecordCounters counters_;
};

}  // namespace karst::keys
