#include "driver/rate_limit.h"

#include <algorithm>
#include <limits>

namespace karst::driver {
namespace {

constexpr std::uint64_t kRateMax = 1ull << 34;
constexpr std::uint64_t kNanoseconds = 1'000'000'000;
constexpr Duration kBurst = std::chrono::milliseconds(50);
constexpr std::size_t kDatagramBytes = 16'384;
constexpr std::size_t kPacketBytes = 1'400;

}  // namespace

RateLimit::RateLimit(std::uint64_t bytes_per_second, TimePoint now)
    : rate_(bytes_per_second > kRateMax ? 0 : bytes_per_second), paid_until_(now) {
  if (rate_ == 0) return;
  burst_ = std::max(kBurst, time_of(kDatagramBytes));
  turn_ = std::max(kBurst / 2, time_of(kPacketBytes));
  paid_until_ = now - burst_;
}

std::size_t RateLimit::room(TimePoint now) {
  if (rate_ == 0) return std::numeric_limits<std::size_t>::max();
  paid_until_ = std::max(paid_until_, now - burst_);
  if (now <= paid_until_) return 0;
  const auto time = static_cast<std::uint64_t>((now - paid_until_).count());
  return static_cast<std::size_t>(time * rate_ / kNanoseconds);
}

void RateLimit::take(std::size_t bytes) {
  if (rate_ > 0) paid_until_ += time_of(bytes);
}

Duration RateLimit::time_of(std::size_t bytes) const {
  return Duration(static_cast<Duration::rep>((bytes * kNanoseconds + rate_ - 1) / rate_));
}

}  // namespace karst::driver
