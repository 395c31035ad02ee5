#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace karst {

// Buckets whose width grows with the value, 8 to the octave: a value is known to within one
// eighth. Values 0 to 7 have a bucket each.
constexpr std::size_t log_bucket(std::uint64_t value) {
  if (value < 8) return static_cast<std::size_t>(value);
  const auto octave = static_cast<unsigned>(std::bit_width(value)) - 1;
  return static_cast<std::size_t>((octave - 2) * 8 + ((value >> (octave - 3)) & 7));
}
// The largest value of a bucket.
constexpr std::uint64_t log_bucket_top(std::size_t bucket) {
  if (bucket < 8) return bucket;
  const auto octave = static_cast<unsigned>(bucket / 8) + 2;
  const std::uint64_t first = (8 + bucket % 8) << (octave - 3);
  return first + ((1ull << (octave - 3)) - 1);
}
inline constexpr std::size_t kLogBuckets = log_bucket(~0ull) + 1;

// Counts of any unsigned values, for status and metrics.
class LogHistogram {
 public:
  void add(std::uint64_t value) {
    ++counts_[log_bucket(value)];
    ++total_;
  }
  std::uint64_t total() const { return total_; }
  const std::array<std::uint32_t, kLogBuckets>& counts() const { return counts_; }
  // The top of the bucket that holds the value at `percent` of 100; 0 of an empty histogram.
  std::uint64_t percentile(unsigned percent) const {
    const std::uint64_t rank = (total_ * percent + 99) / 100;
    std::uint64_t seen = 0;
    for (std::size_t bucket = 0; bucket < kLogBuckets; ++bucket) {
      seen += counts_[bucket];
      if (seen >= rank && seen > 0) return log_bucket_top(bucket);
    }
    return 0;
  }

 private:
  std::array<std::uint32_t, kLogBuckets> counts_{};
  std::uint64_t total_ = 0;
};

}  // namespace karst
