#pragma once

#include "base/time.h"

namespace karst::platform {

// CLOCK_BOOTTIME: monotonic, and counts the time that the machine was suspended.
TimePoint monotonic_now();
UnixTime wall_now();

}  // namespace karst::platform
