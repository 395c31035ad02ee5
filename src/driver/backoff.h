#pragma once

#include <algorithm>

#include "base/prng.h"
#include "base/time.h"

namespace karst::driver {

// Waits between attempts to reach the server: 0.25 s doubling to 30 s, each drawn from the upper
// half of its step so that many clients of one restarted server do not come back together. While
// nobody answers, the path is likely dead and nobody is troubled, so that for some minutes the step
// stays: who waits for the path to come back should not wait for a timer as well.
class Backoff {
 public:
  static constexpr Duration kFirst = std::chrono::milliseconds(250);
  static constexpr Duration kLast = std::chrono::seconds(30);
  // In a row, each of which took its 15 s.
  static constexpr int kSilencesMax = 20;

  explicit Backoff(Prng prng) : prng_(prng) {}

  // After an attempt that failed.
  Duration next() {
    const Duration step = step_;
    step_ = std::min(step_ * 2, kLast);
    return draw(step);
  }
  // After one that nobody answered.
  Duration next_after_silence() {
    if (silences_ >= kSilencesMax) return next();
    ++silences_;
    return draw(std::min(step_, kFirst));
  }
  // As if there had been many attempts already.
  Duration longest() {
    step_ = kLast;
    return next();
  }
  // After a success, or when the network changed.
  void reset() {
    step_ = kFirst;
    silences_ = 0;
  }

 private:
  Duration draw(Duration step) {
    const auto half = static_cast<std::uint64_t>(step.count() / 2);
    return Duration(static_cast<std::int64_t>(half + prng_.below(half + 1)));
  }

  Prng prng_;
  Duration step_ = kFirst;
  int silences_ = 0;
};

}  // namespace karst::driver
