#pragma once

#include "base/result.h"

namespace karst::platform {

// The named error of driver/ports.h that an errno value of a socket call stands for.
Error io_error(int errno_value);

}  // namespace karst::platform
