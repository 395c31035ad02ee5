#pragma once

#include <algorithm>
#include <optional>

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
  // For so long silence in a row is met with the same pace.
  static constexpr Duration kSilenceTime = std::chrono::minutes(5);
  // Of attempts that are over at once, as without a network or a name server.
  static constexpr Duration kSilencePace = std::chrono::seconds(1);

  explicit Backoff(Prng prng) : prng_(prng) {}

  // An attempt begins.
  void begin(TimePoint now) { began_ = now; }
  // After an attempt that failed.
  Duration next() {
    silent_since_.reset();
    return advance();
  }
  // After one that nobody answered.
  Duration next_after_silence(TimePoint now) {
    if (!silent_since_) silent_since_ = began_;
    if (now - *silent_since_ >= kSilenceTime) return advance();
    return draw(now - began_ < kSilencePace ? kSilencePace : kFirst);
  }
  // After an answer that repetition does not change. What follows begins with the first step.
  Duration longest() {
    reset();
    return draw(kLast);
  }
  // After a success, or when the network changed.
  void reset() {
    step_ = kFirst;
    silent_since_.reset();
  }

 private:
  Duration advance() {
    const Duration step = step_;
    step_ = std::min(step_ * 2, kLast);
    return draw(step);
  }
  Duration draw(Duration step) {
    const auto half = static_cast<std::uint64_t>(step.count() / 2);
    return Duration(static_cast<std::int64_t>(half + prng_.below(half + 1)));
  }

  Prng prng_;
  Duration step_ = kFirst;
  TimePoint began_{};
  std::optional<TimePoint> silent_since_;  // the first of the silent attempts in a row
};

}  // namespace karst::driver
