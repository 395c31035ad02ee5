#include "platform/linux/clock.h"

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

}  // namespace karst::platform
