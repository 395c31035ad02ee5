#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/aead.h"
#include "crypto/base64.h"
#include "crypto/ct.h"
#include "crypto/digest.h"
#include "crypto/ml_kem.h"
#include "crypto/sign.h"
#include "crypto/x25519.h"

namespace karst::crypto {
namespace {

class Aead : public testing::TestWithParam<AeadKind> {};

TEST_P(Aead, opens_what_was_sealed_and_refuses_any_changed_bit) {
  AeadSealer sealer(GetParam());
  AeadOpener opener(GetParam());
  std::array<std::uint8_t, 32> key{1};
  std::array<std::uint8_t, 12> nonce{2};
  sealer.set_key(key);
  opener.set_key(key);
  for (std::size_t size : {0u, 1u, 15u, 16u, 17u, 255u, 16351u}) {
    ByteVector text(size, 0x5a);
    std::array<std::uint8_t, 16> tag{};
    sealer.seal(nonce, as_bytes("header"), text, tag);
    ByteVector opened = text;
    ASSERT_TRUE(opener.open(nonce, as_bytes("header"), opened, tag).ok());
    EXPECT_EQ(opened, ByteVector(size, 0x5a));
    opened = text;
    EXPECT_FALSE(opener.open(nonce, as_bytes("headeR"), opened, tag).ok());
    auto bad_tag = tag;
    bad_tag[7] ^= 1;
    opened = text;
    EXPECT_FALSE(opener.open(nonce, as_bytes("header"), opened, bad_tag).ok());
    EXPECT_EQ(opened, ByteVector(size, 0)) << "unauthenticated plaintext was left behind";
    if (size > 0) {
      opened = text;
      opened[size / 2] ^= 0x80;
      EXPECT_FALSE(opener.open(nonce, as_bytes("header"), opened, tag).ok());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(both, Aead,
                         testing::Values(AeadKind::aes_256_gcm, AeadKind::chacha20_poly1305));

TEST(X25519, both_sides_agree_and_an_all_zero_result_is_refused) {
  SeededEntropy entropy(1);
  const auto alice = X25519KeyPair::generate(entropy);
  const auto bob = X25519KeyPair::generate(entropy);
  auto a = alice.agree(bob.public_key());
  auto b = bob.agree(alice.public_key());
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(ct_equal(a->expose(), b->expose()));
  const X25519Public low_order{};
  EXPECT_FALSE(alice.agree(low_order).ok());
}

TEST(MlKem, both_sides_get_one_secret_and_a_seed_gives_one_key) {
  SeededEntropy entropy(2), same(2);
  const auto pair = MlKemKeyPair::generate(entropy);
  EXPECT_EQ(pair.public_key(), MlKemKeyPair::generate(same).public_key());
  auto sent = ml_kem_encapsulate(pair.public_key(), entropy);
  ASSERT_TRUE(sent.ok());
  EXPECT_TRUE(ct_equal(pair.decapsulate(sent->ciphertext).expose(), sent->shared.expose()));
  auto altered = sent->ciphertext;
  altered[100] ^= 1;
  EXPECT_FALSE(ct_equal(pair.decapsulate(altered).expose(), sent->shared.expose()));
}

TEST(MlKem, a_key_that_fails_the_modulus_check_is_refused) {
  SeededEntropy entropy(3);
  MlKemPublic key = MlKemKeyPair::generate(entropy).public_key();
  key[0] = 0xff;
  key[1] = 0xff;  // The first coefficient becomes 4095, which is not below 3329.
  const auto result = ml_kem_encapsulate(key, entropy);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().is(kBadPublicKey));
}

TEST(HybridSignature, counts_only_if_both_halves_verify) {
  SeededEntropy entropy(4);
  HybridSeed seed{Secret<32, Ed25519SeedTag>::random(entropy),
                  Secret<32, MlDsaSeedTag>::random(entropy)};
  const HybridSigner signer(seed);
  const auto signature = signer.sign(as_bytes("message"), entropy);
  EXPECT_TRUE(verify(signer.public_key(), as_bytes("message"), signature).ok());
  EXPECT_FALSE(verify(signer.public_key(), as_bytes("messagE"), signature).ok());
  auto bad_classical = signature;
  bad_classical.ed25519[3] ^= 1;
  EXPECT_FALSE(verify(signer.public_key(), as_bytes("message"), bad_classical).ok());
  auto bad_lattice = signature;
  bad_lattice.ml_dsa[1000] ^= 1;
  EXPECT_FALSE(verify(signer.public_key(), as_bytes("message"), bad_lattice).ok());
}

TEST(HybridSignature, is_hedged_so_two_signatures_of_one_message_differ) {
  SeededEntropy entropy(5);
  HybridSeed seed{Secret<32, Ed25519SeedTag>::random(entropy),
                  Secret<32, MlDsaSeedTag>::random(entropy)};
  const HybridSigner signer(seed);
  EXPECT_NE(signer.sign(as_bytes("m"), entropy).ml_dsa, signer.sign(as_bytes("m"), entropy).ml_dsa);
}

TEST(Secret, a_move_wipes_its_source) {
  SeededEntropy entropy(6);
  auto from = Secret<32, struct TestTag>::random(entropy);
  const ByteVector bytes = to_vector(from.expose());
  const auto to = std::move(from);
  EXPECT_TRUE(equal(to.expose(), bytes));
  EXPECT_TRUE(equal(from.expose(), ByteVector(32, 0)));  // NOLINT(bugprone-use-after-move)
}

TEST(Digest, a_transcript_can_be_read_without_ending_it) {
  Sha256 running;
  running.update(as_bytes("ab"));
  EXPECT_EQ(running.current(), sha256({as_bytes("ab")}));
  running.update_prefixed(as_bytes("c"));
  EXPECT_EQ(running.current(),
            sha256({as_bytes("ab"), as_bytes(std::string_view("\0\0\0\1c", 5))}));
}

TEST(Base64, decodes_only_what_it_encodes) {
  for (std::size_t size = 0; size < 70; ++size) {
    ByteVector bytes(size);
    Prng(size).fill(bytes);
    const auto decoded = base64url_decode(base64url(bytes));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, bytes);
  }
  for (std::string_view bad : {"A", "AB==", "A+AA", "A/AA", "A\nAA", "AB", " AAA", "AAA "}) {
    EXPECT_FALSE(base64url_decode(bad).ok()) << bad;
  }
  EXPECT_EQ(base64(sha1(as_bytes("dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))),
            "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

}  // namespace
}  // namespace karst::crypto
