#include "app/server_address.h"

#include <gtest/gtest.h>

using namespace karst;
using namespace karst::app;

namespace {

TEST(ServerAddress, names_and_both_kinds_of_address_are_read_and_written_alike) {
  const std::tuple<const char*, const char*, std::uint16_t> cases[] = {
      {"example.org:443", "example.org", 443},
      {"localhost:1", "localhost", 1},
      {"192.0.2.1:8443", "192.0.2.1", 8443},
      {"[2001:db8::1]:65535", "2001:db8::1", 65535},
  };
  for (const auto& [text, host, port] : cases) {
    EXPECT_EQ(parse_server_address(text), (wire::ServerAddress{host, port})) << text;
    EXPECT_EQ(format_server_address({host, port}), text);
  }
}

TEST(ServerAddress, what_an_invite_cannot_carry_is_none) {
  for (const char* text : {"", "example.org", ":443", "example.org:", "example.org:0",
                           "example.org:65536", "2001:db8::1:443", "example.org.:443",
                           "exa mple.org:443", "https://example.org:443", "user@example.org:443"}) {
    EXPECT_EQ(parse_server_address(text), std::nullopt) << text;
  }
}

}  // namespace
