#include "base/cidr.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

TEST(Cidr, parses_exactly_networks_whose_host_bits_are_zero) {
  const struct {
    const char* text;
    const char* canonical;  // nullptr: refused
  } cases[] = {
      {"10.0.0.0/8", "10.0.0.0/8"},
      {"0.0.0.0/0", "0.0.0.0/0"},
      {"192.0.2.7", "192.0.2.7/32"},
      {"192.0.2.7/32", "192.0.2.7/32"},
      {"192.0.2.6/31", "192.0.2.6/31"},
      {"2001:db8::/32", "2001:db8::/32"},
      {"::/0", "::/0"},
      {"::1", "::1/128"},
      {"fe80::/10", "fe80::/10"},
      {"192.0.2.7/31", nullptr},
      {"10.0.0.1/8", nullptr},
      {"10.0.0.0/33", nullptr},
      {"::/129", nullptr},
      {"10.0.0.0/", nullptr},
      {"10.0.0.0/08", nullptr},
      {"10.0.0.0/-1", nullptr},
      {"10.0.0.0/+8", nullptr},
      {"10.0.0.0/8 ", nullptr},
      {"10.0.0.0/8/8", nullptr},
      {"10.0.0/8", nullptr},
      {"", nullptr},
      {"/8", nullptr},
      {"fe80::1/10", nullptr},
      {"10.0.0.0/4294967304", nullptr},
  };
  for (const auto& c : cases) {
    const auto network = Cidr::parse(c.text);
    ASSERT_EQ(network.has_value(), c.canonical != nullptr) << c.text;
    if (!network) continue;
    EXPECT_EQ(network->text(), c.canonical);
  }
}

// For every prefix length of both families: the network holds its first and last address and
// neither neighbour.
template <std::size_t N>
void check_borders(std::array<std::uint8_t, N> seed,
                   IpAddress (*make)(std::array<std::uint8_t, N>)) {
  for (unsigned bits = 0; bits <= 8 * N; ++bits) {
    const Cidr network = Cidr::around(make(seed), bits);
    std::array<std::uint8_t, N> first, last;
    std::copy_n(network.base().bytes().begin(), N, first.begin());
    last = first;
    for (unsigned bit = bits; bit < 8 * N; ++bit)
      last[bit / 8] |= static_cast<std::uint8_t>(0x80 >> bit % 8);
    EXPECT_TRUE(network.contains(make(first))) << bits;
    EXPECT_TRUE(network.contains(make(last))) << bits;
    EXPECT_TRUE(network.contains(make(seed))) << bits;
    if (bits == 0) continue;
    auto before = first, after = last;
    for (std::size_t i = N; i-- > 0 && before[i]-- == 0;) {
    }
    for (std::size_t i = N; i-- > 0 && ++after[i] == 0;) {
    }
    EXPECT_FALSE(network.contains(make(before))) << bits;
    EXPECT_FALSE(network.contains(make(after))) << bits;
  }
}

TEST(Cidr, contains_its_first_and_last_address_and_neither_neighbour) {
  check_borders<4>({0xa5, 0x5a, 0xc3, 0x3d}, IpAddress::v4);
  check_borders<16>({0x5a, 0x5a, 0xc3, 0x3d, 0xa5, 0x5a, 0xc3, 0x3d, 0xa5, 0x5a, 0xc3, 0x3d, 0xa5,
                     0x5a, 0xc3, 0x3d},
                    IpAddress::v6);
}

TEST(Cidr, never_contains_an_address_of_the_other_family) {
  EXPECT_FALSE(Cidr::parse("::/0")->contains(*IpAddress::parse("10.0.0.1")));
  EXPECT_FALSE(Cidr::parse("0.0.0.0/0")->contains(*IpAddress::parse("::ffff:10.0.0.1")));
  EXPECT_FALSE(Cidr::parse("::/128")->contains(*IpAddress::parse("0.0.0.0")));
}

}  // namespace
}  // namespace karst
