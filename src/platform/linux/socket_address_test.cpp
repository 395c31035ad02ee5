#include "platform/linux/socket_address.h"

#include <gtest/gtest.h>

namespace karst::platform {
namespace {

TEST(SocketAddress, goes_to_the_kernel_and_comes_back) {
  for (std::string_view text : {"192.0.2.1:443", "[2001:db8::1]:65535", "[::]:1"}) {
    const Endpoint endpoint = *Endpoint::parse(text);
    EXPECT_EQ(SocketAddress::from(endpoint).endpoint(), endpoint) << text;
  }
}

TEST(SocketAddress, an_ipv6_socket_names_ipv4_by_mapped_addresses) {
  const Endpoint endpoint = *Endpoint::parse("192.0.2.1:443");
  const SocketAddress address = SocketAddress::from(endpoint, AF_INET6);
  EXPECT_EQ(address.storage.ss_family, AF_INET6);
  EXPECT_EQ(address.endpoint(), endpoint);
}

TEST(SocketAddress, an_unknown_family_is_no_address) {
  SocketAddress address;
  address.storage.ss_family = AF_UNIX;
  EXPECT_EQ(address.endpoint(), Endpoint());
}

}  // namespace
}  // namespace karst::platform
