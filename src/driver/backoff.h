#pragma once

#include <algorithm>

#include "base/prng.h"
#include "base/time.h"

namespace karst::driver {

// Waits between attempts to reach the server: 0.25 s doubling to 30 s, each drawn from the upper
// half of its step so that many clients of one restarted server do not come back together.
class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(250);
  static constexpr Duration kLast = std::chrono::seconds(30);

  explicit Backoff(Prng prng) : prng_(prng) {}

  Duration next() {
    const Duration step = step_;
    step_ = std::min(step_ * 2, kLast);
    const auto half = static_cast<std::uint64_t>(step.count() / 2);
    return Duration(static_cast<std::int64_t>(half + prng_.below(half + 1)));
  }
  // As if there had been many attempts already.
  Duration longest() {
    step_ = kLast;
    return next();
  }
  // After a success, or when the network changed.
  void reset() { step_ = kFirst; }

 private:
  Prng prng_;
  Duration step_ = kFirst;
};

}  // namespace karst::driver
