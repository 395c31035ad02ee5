#include "keys/work_bound.h"

#include <algorithm>

#include "base/check.h"
#include "keys/epoch_budget.h"

namespace karst::keys {
namespace {

constexpr std::uint64_t kCreditsPerEpoch = 4;
// More than this at once would be capped anyhow, since no link holds more credit.
constexpr std::uint64_t kEpochsAtOnceMax = 1024;
constexpr Duration kPeriodMax = std::chrono::seconds(30);

}  // namespace

WorkBound::WorkBound(const EpochPolicy& policy, std::uint16_t window, TimePoint now)
    : period_(std::min<Duration>(std::chrono::milliseconds(policy.active_ms), 2 * kPeriodMax) / 2),
      credit_max_(period_ * (window + static_cast<Duration::rep>(kCreditsPerEpoch))),
      credit_(period_ * window),
      last_(now) {}

void WorkBound::earn(std::uint64_t received_share, TimePoint now) {
  const Duration elapsed = std::clamp(now - last_, Duration::zero(), credit_max_);
  const std::uint64_t share =
      std::min(received_share - last_share_, kEpochsAtOnceMax * EpochBudget::kWholeEpoch);
  // Whole epochs and the fraction apart: their product with nanoseconds would not fit.
  const auto period = static_cast<std::uint64_t>(period_.count());
  const std::uint64_t whole = share / EpochBudget::kWholeEpoch * kCreditsPerEpoch * period;
  const std::uint64_t part =
      share % EpochBudget::kWholeEpoch * kCreditsPerEpoch * period / EpochBudget::kWholeEpoch;
  credit_ = std::min(credit_max_, credit_ + elapsed + Duration(whole + part));
  last_ = std::max(last_, now);
  last_share_ = received_share;
}

void WorkBound::spend() {
  CHECK(allows());
  credit_ -= period_;
}

}  // namespace karst::keys
