#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/time.h"

namespace karst::lab {

// What a process and those that descend from it have used so far.
struct ProcessAccount {
  Duration cpu{};                // also of children that have ended
  std::uint64_t peak_bytes = 0;  // sum of the largest resident sizes
};

// Of a process that is not there: nothing.
ProcessAccount account_of(pid_t pid);

// Those that descend from `pid`, without it.
std::vector<pid_t> descendants_of(pid_t pid);

}  // namespace karst::lab
