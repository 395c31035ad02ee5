#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cidr.h"
#include "base/result.h"

namespace karst::platform {

struct InterfaceSetup {
  std::string name;
  std::uint32_t mtu = 0;           // 0: as it is
  std::uint32_t queue_length = 0;  // packets that may wait for the device; 0: as it is
  struct Address {
    IpAddress address;
    unsigned prefix_bits = 0;
  };
  std::vector<Address> addresses;
};

// Gives an interface of the calling thread's namespace its settings and addresses and sets it up.
// Addresses can be used at once (no duplicate detection). kSystem with the errno that the kernel
// answered.
Result<void> set_up_interface(const InterfaceSetup& setup);

}  // namespace karst::platform
