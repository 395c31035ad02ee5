#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/time.h"
#include "keys/policy.h"

namespace karst::keys {

// Counted records spend an epoch; docs/protocol/ratchet.md "What an epoch may carry" lists them.
enum class RecordClass : std::uint8_t { counted, uncounted };

// A pause counts as no more than this towards an epoch's active time.
inline constexpr Duration kActiveGapMax = std::chrono::milliseconds(100);
// Uncounted records of an epoch: at most the policy's frames and this many.
inline constexpr std::uint64_t kUncountedExtra = 65'536;

// A key is wiped this long after its epoch's first record, by the sender; docs/protocol/ratchet.md
// "Lifetime".
inline Duration max_epoch_age(const EpochPolicy& policy) {
  return std::max<Duration>(std::chrono::seconds(120),
                            2 * std::chrono::milliseconds(policy.active_ms));
}
// The receiver waits this much longer for records that are under way.
inline constexpr Duration kReceiverExtraAge = std::chrono::seconds(60);

// What one epoch has carried, against its policy: the one function by which both ends count.
class EpochBudget {
 public:
  explicit EpochBudget(const EpochPolicy& policy) : policy_(policy) {}

  // Whether one more record with so much plaintext stays inside bytes, frames and the bound on
  // uncounted records. Both ends.
  bool admits(RecordClass record, std::uint64_t bytes) const {
    if (record == RecordClass::uncounted) return uncounted_ < policy_.frames + kUncountedExtra;
    return frames_ < policy_.frames && bytes <= policy_.bytes - bytes_;
  }
  // Whether a counted record at `now` stays inside the active time. The sender only: the wire does
  // not show when a record was sealed.
  bool active_admits(TimePoint now) const {
    return active_ + gap_until(now) <= std::chrono::milliseconds(policy_.active_ms);
  }
  // The record must have been admitted.
  void add(RecordClass record, std::uint64_t bytes, TimePoint now) {
    if (!first_record_) first_record_ = now;
    if (record == RecordClass::uncounted) {
      ++uncounted_;
      return;
    }
    active_ += gap_until(now);
    last_counted_ = now;
    bytes_ += bytes;
    ++frames_;
  }

  // When the epoch's first record of either class was added.
  std::optional<TimePoint> first_record() const { return first_record_; }
  std::uint64_t bytes() const { return bytes_; }
  std::uint64_t frames() const { return frames_; }
  std::uint64_t uncounted() const { return uncounted_; }
  Duration active() const { return active_; }

  // How much of the epoch is spent, in 2^-20: the larger of the bytes and the frames share.
  static constexpr std::uint64_t kWholeEpoch = 1u << 20;
  std::uint64_t share() const {
    return std::max(bytes_ * kWholeEpoch / policy_.bytes, frames_ * kWholeEpoch / policy_.frames);
  }

 private:
  Duration gap_until(TimePoint now) const {
    return frames_ == 0 ? Duration::zero() : std::min(now - last_counted_, kActiveGapMax);
  }

  EpochPolicy policy_;
  std::uint64_t bytes_ = 0;
  std::uint64_t frames_ = 0;
  std::uint64_t uncounted_ = 0;
  Duration active_{};
  std::optional<TimePoint> first_record_;
  TimePoint last_counted_{};  // once there is a counted record
};

// What a direction has carried, for status and metrics.
struct RecordCounters {
  std::uint64_t counted_records = 0;
  std::uint64_t uncounted_records = 0;
  std::uint64_t bytes = 0;  // plaintext of counted records

  void add(RecordClass record, std::uint64_t size) {
    if (record == RecordClass::uncounted) {
      ++uncounted_records;
      return;
    }
    ++counted_records;
    bytes += size;
  }
};

}  // namespace karst::keys
