#include "platform/linux/clock.h"

#include <poll.h>

#include <algorithm>

#include "base/check.h"

namespace karst::platform {

TimePoint monotonic_now() {
  timespec time{};
  CHECK(::clock_gettime(CLOCK_BOOTTIME, &time) == 0);
  return TimePoint(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

UnixTime wall_now() {
  timespec time{};
  CHECK(::clock_gettime(CLOCK_REALTIME, &time) == 0);
  return UnixTime{time.tv_sec};
}

timespec to_timespec(Duration duration) {
  const Duration whole = std::max(duration, Duration::zero());
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(whole);
  return {.tv_sec = seconds.count(), .tv_nsec = (whole - seconds).count()};
}

void wait_until(TimePoint at) {
  for (Duration left = at - monotonic_now(); left > Duration::zero(); left = at - monotonic_now()) {
    const timespec timeout = to_timespec(left);
    ::ppoll(nullptr, 0, &timeout, nullptr);
  }
}

}  // namespace karst::platform
