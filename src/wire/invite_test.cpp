#include "wire/invite.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/base64.h"
#include "crypto/digest.h"
#include "wire/limits.h"

namespace karst::wire {
namespace {

Invite sample(std::size_t addresses = 1, bool pin = true) {
  SeededEntropy entropy(1);
  Invite invite;
  for (std::size_t i = 0; i < addresses; ++i) {
    invite.addresses.push_back({"server" + std::to_string(i) + ".example.org", 443});
  }
  entropy.fill(invite.server.bytes);
  if (pin) invite.tls_pin = entropy.bytes<32>();
  invite.front_secret = FrontSecret::random(entropy);
  invite.id = entropy.bytes<16>();
  invite.psk = ClientPsk::random(entropy);
  invite.expiry = {1'900'000'000};
  return invite;
}

bool same(const Invite& a, const Invite& b) {
  return a.addresses == b.addresses && a.server == b.server && a.tls_pin == b.tls_pin &&
         equal(a.front_secret.expose(), b.front_secret.expose()) && a.id == b.id &&
         equal(a.psk.expose(), b.psk.expose()) && a.expiry == b.expiry;
}

std::string text_of(const Invite& invite) {
  return std::string(format_invite(invite).expose_text());
}
// A text with a right checksum over any content.
std::string with_checksum(ByteVector content) {
  const auto check = crypto::sha256({as_bytes("karst/1 invite"), content});
  content.insert(content.end(), check.begin(), check.begin() + 4);
  return "karst://" + crypto::base64url(content);
}
ByteVector content_of(const Invite& invite) {
  ByteVector bytes = crypto::base64url_decode(text_of(invite).substr(8)).value();
  bytes.resize(bytes.size() - 4);
  return bytes;
}

TEST(Invite, reads_as_it_was_written) {
  for (std::size_t addresses : {1u, 2u, 8u}) {
    for (bool pin : {true, false}) {
      const Invite invite = sample(addresses, pin);
      const auto parsed = parse_invite(text_of(invite));
      ASSERT_TRUE(parsed.ok());
      EXPECT_TRUE(same(*parsed, invite));
    }
  }
}

TEST(Invite, has_the_layout_of_the_protocol_page) {
  Invite invite = sample();
  invite.addresses = {{"192.0.2.1", 8443}};
  const ByteVector content = content_of(invite);
  ASSERT_EQ(content.size(), 1u + 1 + 32 + 32 + 32 + 16 + 32 + 4 + 1 + 1 + 9 + 2);
  EXPECT_EQ(content[0], 1);
  EXPECT_EQ(content[1], 1);
  EXPECT_TRUE(equal(Bytes(content).subspan(2, 32), invite.server.bytes));
  EXPECT_TRUE(equal(Bytes(content).subspan(34, 32), *invite.tls_pin));
  EXPECT_TRUE(equal(Bytes(content).subspan(66, 32), invite.front_secret.expose()));
  EXPECT_TRUE(equal(Bytes(content).subspan(98, 16), invite.id));
  EXPECT_TRUE(equal(Bytes(content).subspan(114, 32), invite.psk.expose()));
  EXPECT_TRUE(equal(Bytes(content).subspan(146, 4), ByteVector{0x71, 0x3f, 0xb3, 0x00}));
  EXPECT_TRUE(equal(Bytes(content).subspan(150),
                    ByteVector{1, 9, '1', '9', '2', '.', '0', '.', '2', '.', '1', 0x20, 0xfb}));
  EXPECT_EQ(text_of(invite), with_checksum(content));
  EXPECT_LE(text_of(invite).size(), 240u) << "too long for a QR code that a phone reads";
}

TEST(Invite, any_single_mistyped_character_is_found) {
  const std::string text = text_of(sample());
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (char c : kAlphabet) {
      std::string typo = text;
      typo[i] = c;
      if (typo != text) {
        EXPECT_FALSE(parse_invite(typo).ok()) << i << c;
      }
    }
  }
}

TEST(Invite, a_text_that_was_cut_or_prolonged_is_refused) {
  const std::string text = text_of(sample());
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(parse_invite(text.substr(0, size)).ok());
  }
  EXPECT_FALSE(parse_invite(text + "A").ok());
  EXPECT_FALSE(parse_invite(text + "AAAA").ok());
  EXPECT_FALSE(parse_invite(text + "\n").ok());
  EXPECT_FALSE(parse_invite("KARST" + text.substr(5)).ok());
}

TEST(Invite, tells_a_typo_from_a_newer_version_from_a_forbidden_value) {
  ByteVector content = content_of(sample());
  std::string typo = with_checksum(content);
  typo[20] = typo[20] == 'A' ? 'B' : 'A';
  EXPECT_TRUE(parse_invite(typo).error().is(kInviteChecksum));
  EXPECT_TRUE(parse_invite("https://example.org").error().is(kNotAnInvite));
  content[0] = 2;
  EXPECT_TRUE(parse_invite(with_checksum(content)).error().is(kInviteVersion));
  content[0] = 1;
  content[1] = 2;  // reserved flag
  EXPECT_TRUE(parse_invite(with_checksum(content)).error().is(kInviteContent));
}

TEST(Invite, address_counts_ports_and_lengths_are_held_to_their_limits) {
  const ByteVector content = content_of(sample(1, false));
  const std::size_t count_at = 118;
  for (int count : {0, 1, 2, 8, 9, 255}) {
    ByteVector changed = content;
    changed[count_at] = static_cast<std::uint8_t>(count);
    EXPECT_EQ(parse_invite(with_checksum(changed)).ok(), count == 1) << count;
  }
  ByteVector no_port = content;
  no_port.resize(no_port.size() - 2);
  no_port.resize(no_port.size() + 2);
  EXPECT_FALSE(parse_invite(with_checksum(no_port)).ok());
  ByteVector longer = content;
  longer.push_back(0);
  EXPECT_FALSE(parse_invite(with_checksum(longer)).ok());
  ByteVector nine(content.begin(), content.begin() + static_cast<std::ptrdiff_t>(count_at));
  nine.push_back(9);
  for (int i = 0; i < 9; ++i) nine.insert(nine.end(), {1, 'a', 1, 1});
  EXPECT_FALSE(parse_invite(with_checksum(nine)).ok());
}

TEST(Invite, the_largest_fits_its_limit) {
  Invite invite = sample(8);
  const std::string label(63, 'a');
  for (auto& address : invite.addresses) {
    address.host = label + '.' + label + '.' + label + '.' + std::string(61, 'b');
    ASSERT_EQ(address.host.size(), kHostBytesMax);
  }
  const auto parsed = parse_invite(text_of(invite));
  ASSERT_TRUE(parsed.ok());
  EXPECT_TRUE(same(*parsed, invite));
}

TEST(Invite, hosts_are_names_or_addresses) {
  const std::string label(63, 'a');
  for (const std::string host : {"a", "example.org", "192.0.2.1", "2001:db8::1", "::1",
                                 "xn--bcher-kva.example", "a_b.example", label.c_str()}) {
    EXPECT_TRUE(valid_host(host)) << host;
  }
  const std::string too_long = label + 'a';
  for (const std::string host :
       {"", ".", "a.", ".a", "a..b", "a b", "a/b", "[::1]", "a:443", "2001:db8::1%eth0",
        "b\xc3\xbc.example", "a\n", too_long.c_str()}) {
    EXPECT_FALSE(valid_host(host)) << host;
  }
  EXPECT_FALSE(valid_host(label + '.' + label + '.' + label + '.' + std::string(62, 'b')));
}

}  // namespace
}  // namespace karst::wire
