#include "platform/linux/own_addresses.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace karst::platform {
namespace {

TEST(OwnAddresses, contain_the_loopback_address_and_nothing_twice) {
  const auto addresses = own_interface_addresses().value();
  EXPECT_EQ(std::ranges::count(addresses, IpAddress::v4({127, 0, 0, 1})), 1);
  EXPECT_TRUE(std::ranges::is_sorted(addresses));
  EXPECT_EQ(std::ranges::adjacent_find(addresses), addresses.end());
}

}  // namespace
}  // namespace karst::platform
