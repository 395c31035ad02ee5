#include "stream/proxy/egress_rule.h"

#include <gtest/gtest.h>

namespace karst::stream::proxy {
namespace {

TEST(EgressRule, is_a_network_and_perhaps_ports) {
  const struct {
    const char* text;
    bool accepted;
  } cases[] = {
      {"10.0.0.0/8", true},
      {"::/0", true},
      {"10.0.0.1", true},
      {"10.0.0.0/8 1", true},
      {"10.0.0.0/8 65535", true},
      {"10.0.0.0/8 1-65535", true},
      {"10.0.0.0/8 5-5", true},
      {"10.0.0.0/8 0", false},
      {"10.0.0.0/8 65536", false},
      {"10.0.0.0/8 6-5", false},
      {"10.0.0.0/8 ", false},
      {"10.0.0.0/8  1", false},
      {"10.0.0.0/8 1-", false},
      {"10.0.0.0/8 -1", false},
      {"10.0.0.0/8 1-2-3", false},
      {"10.0.0.0/8 1 2", false},
      {"10.0.0.1/8", false},
      {"example.org", false},
      {"", false},
      {" 1", false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(EgressRule::parse(EgressRule::Action::deny, c.text).has_value(), c.accepted)
        << c.text;
  }
}

}  // namespace
}  // namespace karst::stream::proxy
