#include "stream/proxy/host.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::stream::proxy {
namespace {

std::string described(const std::optional<Host>& host) {
  if (!host) return "refused";
  if (const auto* address = std::get_if<IpAddress>(&*host)) return "address " + address->text();
  return "name " + std::get<HostName>(*host).text();
}

TEST(Host, a_host_is_an_address_a_name_or_refused) {
  const struct {
    std::string text;
    std::string is;
  } cases[] = {
      {"example.org", "name example.org"},
      {"EXAMPLE.Org", "name example.org"},
      {"example.org.", "name example.org."},
      {"localhost", "name localhost"},
      {"_dmarc.example.org", "name _dmarc.example.org"},
      {"-a-.example", "name -a-.example"},
      {"xn--bcher-kva.example", "name xn--bcher-kva.example"},
      {"1.example", "name 1.example"},
      {"1e100", "name 1e100"},
      {"192.0.2.1", "address 192.0.2.1"},
      {"2001:db8::1", "address 2001:db8::1"},
      {"[2001:db8::1]", "address 2001:db8::1"},
      {"::ffff:10.0.0.1", "address ::ffff:10.0.0.1"},
      {"", "refused"},
      {".", "refused"},
      {"..", "refused"},
      {".example", "refused"},
      {"a..b", "refused"},
      {"example.org..", "refused"},
      {"[192.0.2.1]", "refused"},
      {"[example.org]", "refused"},
      {"[]", "refused"},
      {"[::1", "refused"},
      {"fe80::1%eth0", "refused"},
      {"a b", "refused"},
      {"a\tb", "refused"},
      {std::string("a\0b", 3), "refused"},
      {std::string("192.0.2.1\0", 10), "refused"},
      {"a/b", "refused"},
      {"a@b", "refused"},
      {"a%2eb", "refused"},
      {"b\xc3\xbc"
       "cher.example",
       "refused"},
      // Numbers that inet_aton() reads as addresses.
      {"127.1", "refused"},
      {"2130706433", "refused"},
      {"0x7f000001", "refused"},
      {"0X7F.1", "refused"},
      {"0x", "refused"},
      {"0177.0.0.1", "refused"},
      {"127.0.0.1.", "refused"},
      {"192.0.2.256", "refused"},
      {"example.0x7f", "refused"},
      {"0x7g", "name 0x7g"},
  };
  for (const auto& c : cases) EXPECT_EQ(described(parse_host(c.text)), c.is) << c.text;
}

TEST(Host, a_label_has_at_most_63_bytes_and_a_name_at_most_253) {
  const auto name_of = [](std::size_t length) {
    std::string out;
    while (out.size() < length) out += out.size() % 64 == 63 ? '.' : 'a';
    return out;
  };
  EXPECT_TRUE(HostName::parse(std::string(62, 'a')));
  EXPECT_TRUE(HostName::parse(std::string(63, 'a')));
  EXPECT_FALSE(HostName::parse(std::string(64, 'a')));
  EXPECT_TRUE(HostName::parse(name_of(252)));
  EXPECT_TRUE(HostName::parse(name_of(253)));
  EXPECT_TRUE(HostName::parse(name_of(253) + "."));
  EXPECT_FALSE(HostName::parse(name_of(254)));
  EXPECT_FALSE(HostName::parse(name_of(254) + "."));
  EXPECT_FALSE(HostName::parse(name_of(253) + "." + name_of(253)));
  EXPECT_FALSE(HostName::parse(name_of(253) + ".."));
}

}  // namespace
}  // namespace karst::stream::proxy
