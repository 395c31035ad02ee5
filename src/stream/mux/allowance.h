#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"

namespace karst::stream::mux {

// How often a peer may do something: `burst` times at once, `per_second` more as time passes, but
// never more than `burst` in stock.
class Allowance {
 public:
  Allowance(std::uint32_t burst, std::uint32_t per_second, TimePoint now)
      : full_(burst * kUnit), stock_(full_), per_second_(per_second), filled_(now) {}

  // False if the stock does not hold one.
  bool take(TimePoint now) {
    fill(now);
    if (stock_ < kUnit) return false;
    stock_ -= kUnit;
    return true;
  }

 private:
  // One of something is as many units as a second has microseconds, so that `per_second` units
  // arrive in each microsecond.
  static constexpr std::uint64_t kUnit = 1'000'000;

  void fill(TimePoint now) {
    const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(now - filled_);
    if (elapsed.count() <= 0) return;
    filled_ += elapsed;
    // Beyond the time that fills it from empty, elapsed time adds nothing, and must not overflow.
    const auto count = std::min(static_cast<std::uint64_t>(elapsed.count()), full_);
    stock_ = std::min(full_, stock_ + count * per_second_);
  }

  std::uint64_t full_;
  std::uint64_t stock_;
  std::uint64_t per_second_;
  TimePoint filled_;
};

}  // namespace karst::stream::mux
