#pragma once

#include <ctime>

#include "base/time.h"

namespace karst::platform {

// CLOCK_BOOTTIME: monotonic, and counts the time that the machine was suspended.
TimePoint monotonic_now();
UnixTime wall_now();
// As system calls want it; what is negative is none.
timespec to_timespec(Duration duration);
// Blocks the calling thread: for tools that send at a given pace.
void wait_until(TimePoint at);

}  // namespace karst::platform
