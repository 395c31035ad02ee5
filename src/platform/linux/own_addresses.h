#pragma once

#include <vector>

#include "base/ip.h"
#include "base/result.h"

namespace karst::platform {

// Every address of every interface of this machine, each once. An error when the kernel does not
// say, as when there are no descriptors left.
Result<std::vector<IpAddress>> own_interface_addresses();

}  // namespace karst::platform
