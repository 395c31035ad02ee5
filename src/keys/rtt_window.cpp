#include "keys/rtt_window.h"

#include <algorithm>

namespace karst::keys {

void RttWindow::advance(TimePoint now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  const auto steps = std::min<std::int64_t>(second - second_, kSlices);
  for (std::int64_t step = 0; step < steps; ++step) {
    Slice& slice = slices_[static_cast<std::size_t>(second - step) % kSlices];
    for (std::size_t bucket = 0; bucket < kBuckets; ++bucket) {
      sum_[bucket] -= slice[bucket];
      samples_ -= slice[bucket];
    }
    slice = {};
  }
  second_ = std::max(second_, second);
}

void RttWindow::add(Duration round_trip, TimePoint now) {
  advance(now);
  const auto microseconds = static_cast<std::uint64_t>(std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::microseconds>(round_trip).count()));
  const std::size_t bucket = std::min(log_bucket(microseconds), kBuckets - 1);
  ++slices_[static_cast<std::size_t>(second_) % kSlices][bucket];
  ++sum_[bucket];
  ++samples_;
}

std::optional<Duration> RttWindow::percentile_95(TimePoint now) {
  advance(now);
  if (samples_ == 0) return std::nullopt;
  const std::uint64_t rank = (std::uint64_t{samples_} * 95 + 99) / 100;
  std::uint64_t seen = 0;
  std::size_t bucket = 0;
  while ((seen += sum_[bucket]) < rank) ++bucket;
  return std::chrono::microseconds(log_bucket_top(bucket));
}

}  // namespace karst::keys
