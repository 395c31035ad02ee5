#include "stream/proxy/egress_policy.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::stream::proxy {
namespace {

using enum EgressVerdict;
using Action = EgressRule::Action;

IpAddress ip(std::string_view text) {
  const auto address = IpAddress::parse(text);
  EXPECT_TRUE(address) << text;
  return address.value_or(IpAddress());
}

EgressRule allow(std::string_view text) { return *EgressRule::parse(Action::allow, text); }
EgressRule deny(std::string_view text) { return *EgressRule::parse(Action::deny, text); }

std::string verdict(const EgressPolicy& policy, std::string_view address,
                    std::uint16_t port = 443) {
  return std::string(text(policy.decide({ip(address), port})));
}
std::string verdict(std::string_view address) { return verdict(EgressPolicy(), address); }

struct Range {
  const char* first;
  const char* last;
  EgressVerdict is;
  // The neighbours outside; nullptr where there is none.
  const char* before;
  EgressVerdict before_is;
  const char* after;
  EgressVerdict after_is;
};

const Range kRanges[] = {
    {"0.0.0.0", "0.255.255.255", this_network, nullptr, allowed, "1.0.0.0", allowed},
    {"10.0.0.0", "10.255.255.255", private_network, "9.255.255.255", allowed, "11.0.0.0", allowed},
    {"100.64.0.0", "100.127.255.255", carrier_grade_nat, "100.63.255.255", allowed, "100.128.0.0",
     allowed},
    {"100.100.100.200", "100.100.100.200", metadata, "100.100.100.199", carrier_grade_nat,
     "100.100.100.201", carrier_grade_nat},
    {"127.0.0.0", "127.255.255.255", loopback, "126.255.255.255", allowed, "128.0.0.0", allowed},
    {"168.63.129.16", "168.63.129.16", metadata, "168.63.129.15", allowed, "168.63.129.17",
     allowed},
    {"169.254.0.0", "169.254.255.255", link_local, "169.253.255.255", allowed, "169.255.0.0",
     allowed},
    {"169.254.169.254", "169.254.169.254", metadata, "169.254.169.253", link_local,
     "169.254.169.255", link_local},
    {"172.16.0.0", "172.31.255.255", private_network, "172.15.255.255", allowed, "172.32.0.0",
     allowed},
    {"192.0.0.0", "192.0.0.255", reserved, "191.255.255.255", allowed, "192.0.1.0", allowed},
    {"192.0.0.192", "192.0.0.192", metadata, "192.0.0.191", reserved, "192.0.0.193", reserved},
    {"192.0.2.0", "192.0.2.255", documentation, "192.0.1.255", allowed, "192.0.3.0", allowed},
    {"192.88.99.0", "192.88.99.255", reserved, "192.88.98.255", allowed, "192.88.100.0", allowed},
    {"192.168.0.0", "192.168.255.255", private_network, "192.167.255.255", allowed, "192.169.0.0",
     allowed},
    {"198.18.0.0", "198.19.255.255", benchmark, "198.17.255.255", allowed, "198.20.0.0", allowed},
    {"198.51.100.0", "198.51.100.255", documentation, "198.51.99.255", allowed, "198.51.101.0",
     allowed},
    {"203.0.113.0", "203.0.113.255", documentation, "203.0.112.255", allowed, "203.0.114.0",
     allowed},
    {"224.0.0.0", "239.255.255.255", multicast, "223.255.255.255", allowed, "240.0.0.0", reserved},
    {"240.0.0.0", "255.255.255.254", reserved, "239.255.255.255", multicast, "255.255.255.255",
     broadcast},
    {"255.255.255.255", "255.255.255.255", broadcast, "255.255.255.254", reserved, nullptr,
     allowed},

    {"::", "::", this_network, nullptr, allowed, "::1", loopback},
    {"::1", "::1", loopback, "::", this_network, "::2", embedded_v4},
    {"::2", "::ffff:ffff", embedded_v4, "::1", loopback, "::1:0:0", reserved},
    {"::ffff:0.0.0.0", "::ffff:255.255.255.255", embedded_v4, "::fffe:ffff:ffff", reserved,
     "::1:0:0:0", reserved},
    {"::ffff:0:0:0", "::ffff:0:ffff:ffff", embedded_v4, "::fffe:ffff:ffff:ffff", reserved,
     "::ffff:1:0:0", reserved},
    {"64:ff9b::", "64:ff9b::ffff:ffff", embedded_v4, "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff",
     reserved, "64:ff9b::1:0:0", reserved},
    {"64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", embedded_v4,
     "64:ff9b:0:ffff:ffff:ffff:ffff:ffff", reserved, "64:ff9b:2::", reserved},
    // Everything before 2000::/3, which also holds 100::/64 (discard) and 100:0:0:1::/64.
    {"100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved,
     "ff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "2000::", allowed},
    {"2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", embedded_v4,
     "2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", allowed, "2001:1::", reserved},
    {"2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", reserved,
     "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", embedded_v4, "2001:2::", benchmark},
    {"2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", benchmark,
     "2001:1:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "2001:2:1::", reserved},
    {"2001:3::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", reserved,
     "2001:2:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "2001:200::", allowed},
    {"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", documentation,
     "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", allowed, "2001:db9::", allowed},
    {"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", embedded_v4,
     "2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", allowed, "2003::", allowed},
    {"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", documentation,
     "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", allowed, "3fff:1000::", allowed},
    // From the end of 2000::/3 to the unique-local addresses; also 5f00::/16.
    {"4000::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved,
     "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", allowed, "8000::", reserved},
    {"8000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved,
     "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "fc00::", unique_local},
    {"fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", unique_local,
     "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "fe00::", reserved},
    {"fd00:ec2::254", "fd00:ec2::254", metadata, "fd00:ec2::253", unique_local, "fd00:ec2::255",
     unique_local},
    {"fd20:ce::254", "fd20:ce::254", metadata, "fd20:ce::253", unique_local, "fd20:ce::255",
     unique_local},
    {"fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", link_local,
     "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", reserved, "fec0::", private_network},
    {"fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", private_network,
     "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", link_local, "ff00::", multicast},
    {"ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", multicast,
     "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", private_network, nullptr, allowed},
};

TEST(EgressPolicy, closes_each_special_range_exactly) {
  for (const Range& range : kRanges) {
    EXPECT_EQ(verdict(range.first), text(range.is)) << range.first;
    EXPECT_EQ(verdict(range.last), text(range.is)) << range.last;
    if (range.before) {
      EXPECT_EQ(verdict(range.before), text(range.before_is)) << range.before;
    }
    if (range.after) {
      EXPECT_EQ(verdict(range.after), text(range.after_is)) << range.after;
    }
  }
}

TEST(EgressPolicy, allows_the_public_internet) {
  for (const char* address :
       {"1.1.1.1", "8.8.8.8", "100.0.0.1", "172.64.0.1", "192.0.1.1", "198.16.0.1", "2600::1",
        "2a00:1450:4001::1", "2001:4860:4860::8888", "2606:4700::1111"}) {
    EXPECT_EQ(verdict(address), "allowed") << address;
  }
}

TEST(EgressPolicy, an_allow_rule_opens_a_closed_range_only_when_it_is_within_it) {
  const struct {
    const char* rule;
    const char* address;
    const char* is;
  } cases[] = {
      {"10.0.0.0/8", "10.1.2.3", "allowed"},
      {"10.1.0.0/16", "10.1.2.3", "allowed"},
      {"10.1.0.0/16", "10.2.2.3", "private network"},
      {"10.1.2.3", "10.1.2.3", "allowed"},
      {"::1/128", "::1", "allowed"},
      {"::2/128", "::2", "unspecified address"},  // 0.0.0.2 is refused
      {"8.0.0.0/7", "10.1.2.3", "private network"},
      {"0.0.0.0/0", "10.1.2.3", "private network"},
      {"0.0.0.0/0", "127.0.0.1", "loopback"},
      {"0.0.0.0/0", "240.0.0.1", "reserved"},
      {"::/0", "::1", "loopback"},
      {"::/0", "8000::1", "reserved"},
      {"127.0.0.1", "127.0.0.1", "allowed"},
      {"169.254.0.0/16", "169.254.1.1", "allowed"},
      {"169.254.0.0/16", "169.254.169.254", "cloud metadata"},
      {"169.254.169.254", "169.254.169.254", "allowed"},
      {"fd00::/8", "fd00:ec2::254", "cloud metadata"},
      {"fd00::/8", "fd00::1", "allowed"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(verdict(EgressPolicy({allow(c.rule)}, {}), c.address), c.is)
        << c.rule << " " << c.address;
  }
}

TEST(EgressPolicy, the_longest_prefix_decides_and_deny_wins_a_tie) {
  const EgressPolicy policy(
      {deny("0.0.0.0/0"), allow("8.0.0.0/8"), deny("8.8.0.0/16"), allow("8.8.8.8"),
       allow("9.0.0.0/8"), deny("9.0.0.0/8"), deny("10.0.0.0/8"), allow("10.0.0.0/8")},
      {});
  EXPECT_EQ(verdict(policy, "1.1.1.1"), "denied by rule");
  EXPECT_EQ(verdict(policy, "8.1.1.1"), "allowed");
  EXPECT_EQ(verdict(policy, "8.8.1.1"), "denied by rule");
  EXPECT_EQ(verdict(policy, "8.8.8.8"), "allowed");
  EXPECT_EQ(verdict(policy, "9.1.1.1"), "denied by rule");
  EXPECT_EQ(verdict(policy, "10.1.1.1"), "denied by rule");
  EXPECT_EQ(verdict(policy, "2600::1"), "allowed");
}

TEST(EgressPolicy, a_rule_speaks_only_for_its_ports) {
  const EgressPolicy policy({allow("10.0.0.0/8 443-445"), deny("1.0.0.0/8 25")}, {});
  const struct {
    const char* address;
    std::uint16_t port;
    const char* is;
  } cases[] = {
      {"10.0.0.1", 442, "private network"}, {"10.0.0.1", 443, "allowed"},
      {"10.0.0.1", 445, "allowed"},         {"10.0.0.1", 446, "private network"},
      {"1.0.0.1", 24, "allowed"},           {"1.0.0.1", 25, "denied by rule"},
      {"1.0.0.1", 26, "allowed"},
  };
  for (const auto& c : cases) EXPECT_EQ(verdict(policy, c.address, c.port), c.is) << c.port;
}

TEST(EgressPolicy, an_own_address_is_closed_unless_a_rule_names_it_alone) {
  const std::vector<IpAddress> own{ip("8.8.4.4"), ip("2600::5")};
  EXPECT_EQ(verdict(EgressPolicy({}, own), "8.8.4.4"), "own address");
  EXPECT_EQ(verdict(EgressPolicy({}, own), "2600::5"), "own address");
  EXPECT_EQ(verdict(EgressPolicy({}, own), "8.8.4.5"), "allowed");
  EXPECT_EQ(verdict(EgressPolicy({allow("8.8.4.4/31")}, own), "8.8.4.4"), "own address");
  EXPECT_EQ(verdict(EgressPolicy({allow("8.8.4.4/32")}, own), "8.8.4.4"), "allowed");
  EgressPolicy moved({}, own);
  moved.set_own_addresses({ip("9.9.9.9")});
  EXPECT_EQ(verdict(moved, "8.8.4.4"), "allowed");
  EXPECT_EQ(verdict(moved, "9.9.9.9"), "own address");
}

TEST(EgressPolicy, the_address_in_front_of_a_translator_is_closed_whatever_the_interfaces_have) {
  EgressPolicy policy({}, {ip("10.0.0.5")}, {ip("8.8.4.4")});
  EXPECT_EQ(verdict(policy, "8.8.4.4"), "own address");
  policy.set_own_addresses({ip("10.0.0.6")});
  EXPECT_EQ(verdict(policy, "8.8.4.4"), "own address");
  EXPECT_EQ(verdict(EgressPolicy({allow("8.8.4.4/32")}, {}, {ip("8.8.4.4")}), "8.8.4.4"),
            "allowed");
}

TEST(EgressPolicy, an_allowed_embedding_is_judged_by_the_address_inside) {
  const std::vector<IpAddress> own{ip("8.8.4.4")};
  const EgressPolicy policy(
      {allow("::/96"), allow("::ffff:0:0/96"), allow("::ffff:0:0:0/96"), allow("64:ff9b::/96"),
       allow("64:ff9b:1::/48"), allow("2001::/32"), allow("2002::/16")},
      own);
  const std::pair<const char*, const char*> cases[] = {
      {"::8.8.8.8", "allowed"},
      {"::10.0.0.1", "private network"},
      {"::1", "loopback"},
      {"::ffff:8.8.8.8", "allowed"},
      {"::ffff:127.0.0.1", "loopback"},
      {"::ffff:8.8.4.4", "own address"},
      {"::ffff:0:8.8.8.8", "allowed"},
      {"::ffff:0:169.254.169.254", "cloud metadata"},
      {"64:ff9b::8.8.8.8", "allowed"},
      {"64:ff9b::192.168.0.1", "private network"},
      {"64:ff9b:1::8.8.8.8", "allowed"},
      {"64:ff9b:1:2:3:4:10.0.0.1", "private network"},
      {"2002:808:808::1", "allowed"},
      {"2002:7f00:1::1", "loopback"},
      {"2002:a00:1:808:808:808:808:808", "private network"},
      // Teredo: server 8.8.8.8, client 8.8.8.8; then each of them 10.0.0.1.
      {"2001:0:808:808:0:0:f7f7:f7f7", "allowed"},
      {"2001:0:a00:1:0:0:f7f7:f7f7", "private network"},
      {"2001:0:808:808:0:0:f5ff:fffe", "private network"},
      {"2600::10.0.0.1", "allowed"},
  };
  for (const auto& [address, is] : cases) EXPECT_EQ(verdict(policy, address), is) << address;
}

TEST(EgressPolicy, everything_allows_what_any_other_policy_refuses) {
  const auto to = Endpoint::parse("127.0.0.1:22").value();
  EXPECT_EQ(EgressPolicy().decide(to), EgressVerdict::loopback);
  EXPECT_EQ(EgressPolicy::everything().decide(to), EgressVerdict::allowed);
}

}  // namespace
}  // namespace karst::stream::proxy
