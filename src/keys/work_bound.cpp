#include "keys/work_bound.h"

#include <algorithm>

#include "base/check.h"
#include "keys/epoch_budget.h"

namespace karst::keys {
namespace {

constexpr std::uint64_t kCreditsPerEpoch = 4;
constexpr Duration kPeriodMax = std::chrono::seconds(30);

// What so much received budget has earned since the link began. Whole epochs and the fraction
// apart: their product with nanoseconds would not fit. Only differences are used, so it may wrap.
std::uint64_t earned(std::uint64_t share, Duration period) {
  const std::uint64_t whole = share / EpochBudget::kWholeEpoch;
  const std::uint64_t part = share % EpochBudget::kWholeEpoch;
  const auto each = kCreditsPerEpoch * static_cast<std::uint64_t>(period.count());
  return whole * each + part * each / EpochBudget::kWholeEpoch;
}

}  // namespace

WorkBound::WorkBound(const EpochPolicy& policy, std::uint16_t window, TimePoint now)
    : period_(std::min<Duration>(std::chrono::milliseconds(policy.active_ms), 2 * kPeriodMax) / 2),
      credit_max_(period_ * (window + static_cast<Duration::rep>(kCreditsPerEpoch))),
      credit_(period_ * window),
      last_(now) {}

void WorkBound::earn(std::uint64_t received_share, TimePoint now) {
  const Duration elapsed = std::clamp(now - last_, Duration::zero(), credit_max_);
  const auto by_budget = std::min(earned(received_share, period_) - earned(last_share_, period_),
                                  static_cast<std::uint64_t>(credit_max_.count()));
  credit_ = std::min(credit_max_, credit_ + elapsed + Duration(by_budget));
  last_ = std::max(last_, now);
  last_share_ = received_share;
}

void WorkBound::spend() {
  CHECK(allows());
  credit_ -= period_;
}

}  // namespace karst::keys
