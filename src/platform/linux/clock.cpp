#include "platform/linux/clock.h"

#include <poll.h>

#include <ctime>

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

void wait_until(TimePoint at) {
  for (Duration left = at - monotonic_now(); left > Duration::zero(); left = at - monotonic_now()) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
    const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
    ::ppoll(nullptr, 0, &timeout, nullptr);
  }
}

}  // namespace karst::platform
