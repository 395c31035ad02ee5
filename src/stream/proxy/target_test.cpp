#include "stream/proxy/target.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::stream::proxy {
namespace {

std::string described(const std::optional<Target>& target) {
  return target ? target->text() : "refused";
}

TEST(Target, an_authority_gives_host_and_port) {
  const struct {
    const char* text;
    std::uint16_t default_port;
    const char* is;
  } cases[] = {
      {"example.org:443", 0, "example.org:443"},
      {"example.org", 80, "example.org:80"},
      {"example.org:81", 80, "example.org:81"},
      {"192.0.2.1:1", 0, "192.0.2.1:1"},
      {"[2001:db8::1]:65535", 0, "[2001:db8::1]:65535"},
      {"[2001:db8::1]", 80, "[2001:db8::1]:80"},
      {"example.org", 0, "refused"},
      {"[2001:db8::1]", 0, "refused"},
      {"example.org:", 80, "refused"},
      {"example.org:0", 80, "refused"},
      {"example.org:65536", 80, "refused"},
      {"example.org:+1", 80, "refused"},
      {"example.org:080", 80, "refused"},
      {":443", 0, "refused"},
      {"", 80, "refused"},
      {"2001:db8::1:443", 0, "refused"},
      {"2001:db8::1", 80, "refused"},
      {"[::1]443", 80, "refused"},
      {"[::1]:443:1", 80, "refused"},
      {"user@example.org:443", 0, "refused"},
      {"a:1:2", 0, "refused"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(described(Target::from_authority(c.text, c.default_port)), c.is) << c.text;
  }
}

TEST(Target, port_0_is_no_destination) {
  EXPECT_FALSE(Target::make("example.org", 0));
  EXPECT_TRUE(Target::make("example.org", 1));
}

}  // namespace
}  // namespace karst::stream::proxy
