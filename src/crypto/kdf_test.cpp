#include "crypto/kdf.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::crypto {
namespace {

ByteVector from_hex(std::string_view hex) {
  ByteVector out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

TEST(Kdf, hkdf_expand_matches_rfc_5869_test_case_1) {
  const auto prk = from_hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
  const auto info = from_hex("f0f1f2f3f4f5f6f7f8f9");
  ByteVector out(42);
  hkdf_expand(prk, {Bytes(info)}, out);
  EXPECT_EQ(out, from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                          "34007208d5b887185865"));
}

TEST(Kdf, hkdf_expand_with_a_reused_context_equals_a_fresh_one) {
  Hmac reused;
  ByteVector first(76), again(76), fresh(76);
  hkdf_expand(reused, as_bytes("key one"), {as_bytes("a")}, first);
  hkdf_expand(reused, as_bytes("key two"), {as_bytes("b"), as_bytes("c")}, again);
  hkdf_expand(as_bytes("key two"), {as_bytes("bc")}, fresh);
  EXPECT_EQ(again, fresh);
  EXPECT_NE(first, again);
}

TEST(Kdf, hkdf_expand_keyed_uses_the_key_that_was_set_and_keeps_it) {
  Hmac hmac;
  hmac.set_key(as_bytes("key"));
  for (int round = 0; round < 2; ++round) {
    ByteVector out(76), expected(76);
    hkdf_expand_keyed(hmac, {as_bytes("info")}, out);
    hkdf_expand(as_bytes("key"), {as_bytes("info")}, expected);
    EXPECT_EQ(out, expected);
  }
}

TEST(Kdf, hmac_matches_rfc_4231_test_case_2_and_accepts_an_empty_key) {
  const auto expected =
      from_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  const auto tag =
      hmac_sha256(as_bytes("Jefe"), {as_bytes("what do ya want "), as_bytes("for nothing?")});
  EXPECT_TRUE(equal(tag, expected));
  // HMAC-SHA256 of the empty message under the empty key.
  EXPECT_TRUE(equal(hmac_sha256({}, {}), from_hex("b613679a0814d9ec772f95d778c35fc5"
                                                  "ff1697c493715653c6c712144292c5ad")));
}

TEST(Kdf, extract_tells_part_lists_with_the_same_concatenation_apart) {
  std::array<std::uint8_t, kHashBytes> a{}, b{};
  hkdf_extract_prefixed(as_bytes("salt"), {as_bytes("ab"), as_bytes("c")}, a);
  hkdf_extract_prefixed(as_bytes("salt"), {as_bytes("a"), as_bytes("bc")}, b);
  EXPECT_NE(a, b);
  // By hand: HMAC(salt, u32 2 | "ab" | u32 1 | "c").
  EXPECT_EQ(a, hmac_sha256(as_bytes("salt"), {from_hex("00000002"), as_bytes("ab"),
                                              from_hex("00000001"), as_bytes("c")}));
}

}  // namespace
}  // namespace karst::crypto
