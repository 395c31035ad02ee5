#pragma once

#include <vector>

#include "base/ip.h"

namespace karst::platform {

// Every address of every interface of this machine, each once; empty when the kernel does not say.
std::vector<IpAddress> own_interface_addresses();

}  // namespace karst::platform
