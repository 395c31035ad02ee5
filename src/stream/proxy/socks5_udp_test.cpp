#include "stream/proxy/socks5_udp.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "stream/proxy/error.h"

namespace karst::stream::proxy {
namespace {

template <std::size_t N>
std::string s(const char (&text)[N]) {
  return {text, N - 1};
}

const std::pair<std::string, const char*> kHeaders[] = {
    {s("\0\0\0\x01\xc0\x00\x02\x01\x00\x35"), "192.0.2.1:53"},
    {s("\0\0\0\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\xff\xff"), "[2001:db8::1]:65535"},
    {s("\0\0\0\x03\x0b"
       "example.org\x00\x01"),
     "example.org:1"},
};

TEST(SocksUdp, the_header_names_the_target_and_leaves_the_payload) {
  for (const auto& [header, target] : kHeaders) {
    for (const std::string payload : {"", "p", "payload"}) {
      const std::string datagram = header + payload;
      const auto parsed = parse_socks_datagram(as_bytes(datagram));
      ASSERT_TRUE(parsed.ok()) << target;
      EXPECT_EQ(parsed->target.text(), target);
      EXPECT_EQ(as_text(parsed->payload), payload);
    }
  }
}

TEST(SocksUdp, the_written_header_is_the_one_that_was_read) {
  for (const auto& [header, target] : kHeaders) {
    std::array<std::uint8_t, kSocksDatagramHeaderBytesMax> space;
    Writer writer(space);
    write_socks_datagram_header(*Target::from_authority(target), writer);
    EXPECT_EQ(as_text(Bytes(space).first(writer.written())), header);
  }
}

TEST(SocksUdp, every_truncated_header_is_malformed) {
  for (const auto& [header, target] : kHeaders) {
    for (std::size_t length = 0; length < header.size(); ++length) {
      const auto parsed = parse_socks_datagram(as_bytes(header).first(length));
      ASSERT_FALSE(parsed.ok()) << target << " at " << length;
      EXPECT_TRUE(parsed.error().is(kMalformedSocks)) << target << " at " << length;
    }
  }
}

TEST(SocksUdp, fragments_and_bad_targets_are_refused_by_name) {
  const std::pair<std::string, const ErrorKind*> cases[] = {
      {s("\0\0\x01\x01\xc0\x00\x02\x01\x00\x35"), &kFragmentedDatagram},
      {s("\0\0\x80\x01\xc0\x00\x02\x01\x00\x35"), &kFragmentedDatagram},
      {s("\0\0\0\x02\xc0\x00\x02\x01\x00\x35"), &kUnsupportedAddressType},
      {s("\0\0\0\x01\xc0\x00\x02\x01\x00\x00"), &kBadTarget},
      {s("\0\0\0\x03\x00\x00\x35"), &kBadTarget},
      {s("\0\0\0\x03\x03"
         "a b\x00\x35"),
       &kBadTarget},
  };
  for (const auto& [datagram, kind] : cases) {
    const auto parsed = parse_socks_datagram(as_bytes(datagram));
    ASSERT_FALSE(parsed.ok());
    EXPECT_TRUE(parsed.error().is(*kind)) << kind->name << " but " << parsed.error().kind().name;
  }
}

TEST(SocksUdp, the_longest_name_fits_the_space_that_a_header_needs) {
  std::string name;
  while (name.size() < 253) name += name.size() % 64 == 63 ? '.' : 'a';
  std::array<std::uint8_t, kSocksDatagramHeaderBytesMax> space;
  Writer writer(space);
  write_socks_datagram_header(*Target::make(name + ".", 53), writer);
  EXPECT_EQ(parse_socks_datagram(Bytes(space).first(writer.written()))->target.text(),
            name + ".:53");
}

}  // namespace
}  // namespace karst::stream::proxy
