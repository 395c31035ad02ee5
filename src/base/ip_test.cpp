#include "base/ip.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

TEST(Endpoint, parses_and_prints_both_families) {
  for (std::string_view text : {"192.0.2.1:443", "[2001:db8::1]:1", "0.0.0.0:65535", "[::]:80"}) {
    const auto endpoint = Endpoint::parse(text);
    ASSERT_TRUE(endpoint) << text;
    EXPECT_EQ(endpoint->text(), text);
  }
}

TEST(Endpoint, refuses_everything_else) {
  for (std::string_view text :
       {"", ":", "192.0.2.1", "192.0.2.1:", "192.0.2.1:0", "192.0.2.1:65536", "192.0.2.1:+1",
        "192.0.2.1:01", "192.0.2.1: 1", "2001:db8::1:443", "[192.0.2.1]:443", "[::1]", "[::1%lo]:1",
        "host:1", "1.2.3:4"}) {
    EXPECT_FALSE(Endpoint::parse(text)) << text;
  }
  EXPECT_FALSE(IpAddress::parse(std::string_view("1.2.3.4\0", 8)));
}

TEST(IpAddress, a_mapped_address_is_not_equal_to_the_address_inside_it) {
  EXPECT_NE(IpAddress::parse("::ffff:192.0.2.1"), IpAddress::parse("192.0.2.1"));
}

}  // namespace
}  // namespace karst
