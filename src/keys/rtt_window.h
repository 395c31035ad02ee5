#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/log_histogram.h"
#include "base/time.h"

namespace karst::keys {

// The 95th percentile of the round trips of the last 10 s, in constant memory: counts in
// logarithmic buckets of microseconds, one slice per second. A value may be up to an eighth high,
// and a sample counts between 9 and 10 s.
class RttWindow {
 public:
  void add(Duration round_trip, TimePoint now);
  // Nothing when there was no sample in time.
  std::optional<Duration> percentile_95(TimePoint now);

 private:
  static constexpr std::size_t kSlices = 10;
  // Round trips above the last bucket, 67 s, count in it.
  static constexpr std::size_t kBuckets = log_bucket((1ull << 26) - 1) + 1;
  using Slice = std::array<std::uint32_t, kBuckets>;

  void advance(TimePoint now);

  std::array<Slice, kSlices> slices_{};
  Slice sum_{};
  std::uint32_t samples_ = 0;
  std::int64_t second_ = 0;  // which slice is being filled: time since the clock's zero
};

}  // namespace karst::keys
