#pragma once

#include "base/result.h"
#include "base/time.h"

namespace karst::platform {

// Blocks the calling thread until `fd` has one of the poll(2) events, at most until `deadline` on
// the clock of monotonic_now(): kTimedOut. For tools that give each socket a thread.
Result<void> wait_ready(int fd, short events, TimePoint deadline);

}  // namespace karst::platform
