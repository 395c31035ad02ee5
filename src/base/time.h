#pragma once

#include <chrono>
#include <cstdint>

namespace karst {

// A length of time. Literals: `using namespace std::chrono_literals`.
using Duration = std::chrono::nanoseconds;

// The monotonic clock of the driver, which counts suspend. It has no now(): a core is told the
// time. platform/linux/clock.h reads it; a simulator sets it, and does not start it at zero.
struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock>;
  static constexpr bool is_steady = true;
};
using TimePoint = MonotonicClock::time_point;

// Wall time, seconds since 1970. Only for certificates, invites and the datagram seal's hour.
struct UnixTime {
  std::int64_t seconds = 0;
  auto operator<=>(const UnixTime&) const = default;
};

inline std::int64_t to_milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace karst
