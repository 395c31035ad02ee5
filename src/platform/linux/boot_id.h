#pragma once

#include <array>
#include <cstdint>

#include "base/result.h"

namespace karst::platform {

// /proc/sys/kernel/random/boot_id: names this run of the machine and of its monotonic clock.
Result<std::array<std::uint8_t, 16>> read_boot_id();

}  // namespace karst::platform
