// The primitives against vectors that others published.
#include <gtest/gtest.h>

#include "base/entropy.h"
#include "crypto/aead.h"
#include "crypto/ml_kem.h"
#include "crypto/reference_for_test.h"
#include "crypto/sign.h"
#include "crypto/x25519.h"

namespace karst::crypto {
namespace {

using reference::from_hex;

// Gives exactly these bytes, so that a vector's random input can be put in.
class FixedEntropy final : public Entropy {
 public:
  explicit FixedEntropy(ByteVector bytes) : bytes_(std::move(bytes)) {}
  void fill(MutableBytes out) override {
    copy_bytes(out, Bytes(bytes_).subspan(used_, out.size()));
    used_ += out.size();
  }

 private:
  ByteVector bytes_;
  std::size_t used_ = 0;
};

ByteVector sha512(Bytes data) {
  ByteVector out(64);
  SHA512(data.data(), data.size(), out.data());
  return out;
}

// The first 32 bytes of each digest are as telling as all 64.
void expect_sha512(Bytes data, std::string_view digest_start) {
  ByteVector digest = sha512(data);
  digest.resize(32);
  EXPECT_EQ(digest, from_hex(digest_start));
}

TEST(Vectors, x25519_of_rfc_7748_section_6_1) {
  FixedEntropy alice_private(
      from_hex("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"));
  FixedEntropy bob_private(
      from_hex("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"));
  const auto alice = X25519KeyPair::generate(alice_private);
  const auto bob = X25519KeyPair::generate(bob_private);
  EXPECT_TRUE(equal(alice.public_key(), from_hex("8520f0098930a754748b7ddcb43ef75a"
                                                 "0dbf3a0d26381af4eba4a98eaa9b4e6a")));
  EXPECT_TRUE(equal(bob.public_key(), from_hex("de9edb7d7b7dc1b4d35b61c2ece43537"
                                               "3f8343c85b78674dadfc7e146f882b4f")));
  EXPECT_TRUE(equal(alice.agree(bob.public_key())->expose(),
                    from_hex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")));
}

// Seeds of NIST's ACVP file ML-KEM-keyGen-FIPS203; digests as CHIPS Alliance's Caliptra publishes
// them for these seeds and message.
TEST(Vectors, ml_kem_1024_of_nist_acvp_as_digested_by_caliptra) {
  FixedEntropy seed(
      from_hex("2b5330c4f23bfdfd5c31f050ba3b38235324bf032372fc12d04dd08920f0bd59"     // d
               "0a064d6c06ceab73e59cfca9ff6402255a326aef1e9cb678bf36929dafe29a58"));  // z
  FixedEntropy message(
      from_hex("8199cf923ce12126920108569c11cbf97cf03f44af5cfa7d550e9b2ac7431982"));
  const auto key = MlKemKeyPair::generate(seed);
  const auto sent = ml_kem_encapsulate(key.public_key(), message);
  ASSERT_TRUE(sent.ok());
  expect_sha512(key.public_key(),
                "230ee181103a4357dc8c770be08be4e8c32b8542301dd44f689597a2ba5b385e");
  expect_sha512(sent->ciphertext,
                "857d17ac4d0a19c92c8bb4ee8ad1e364df8f7dd9707a9c9784eaa35953f11d80");
  expect_sha512(sent->shared.expose(),
                "8a0c171345b885b9e11a7e63026178e8529282faeffa790fa5ab2b2588399494");
  EXPECT_TRUE(equal(key.decapsulate(sent->ciphertext).expose(), sent->shared.expose()));
}

TEST(Vectors, ed25519_of_rfc_8032_section_7_1_test_1) {
  FixedEntropy hedge(ByteVector(32));
  HybridSeed seed;
  copy_bytes(seed.ed25519.expose_mutable(),
             from_hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"));
  const HybridSigner signer(seed);
  EXPECT_TRUE(equal(signer.public_key().ed25519, from_hex("d75a980182b10ab7d54bfed3c964073a"
                                                          "0ee172f3daa62325af021a68f707511a")));
  EXPECT_TRUE(equal(signer.sign({}, hedge).ed25519,
                    from_hex("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555f"
                             "b8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b")));
}

// C2SP's accumulated vectors: seeds are read from SHAKE128 of nothing; public keys and
// deterministic signatures of the empty message are hashed with another SHAKE128.
TEST(Vectors, ml_dsa_65_of_c2sp_accumulated_over_100_keys) {
  constexpr std::size_t kKeys = 100;
  ByteVector seeds(32 * kKeys);
  EVP_MD_CTX* source = EVP_MD_CTX_new();
  EVP_DigestInit_ex(source, EVP_shake128(), nullptr);
  EVP_DigestFinalXOF(source, seeds.data(), seeds.size());
  EVP_MD_CTX* accumulator = EVP_MD_CTX_new();
  EVP_DigestInit_ex(accumulator, EVP_shake128(), nullptr);
  for (std::size_t i = 0; i < kKeys; ++i) {
    HybridSeed seed;
    copy_bytes(seed.ml_dsa.expose_mutable(), Bytes(seeds).subspan(32 * i, 32));
    const HybridSigner signer(seed);
    FixedEntropy deterministic(ByteVector(32));
    const HybridSignature signature = signer.sign({}, deterministic);
    ASSERT_TRUE(verify(signer.public_key(), {}, signature).ok());
    EVP_DigestUpdate(accumulator, signer.public_key().ml_dsa.data(), kMlDsaPublicBytes);
    EVP_DigestUpdate(accumulator, signature.ml_dsa.data(), kMlDsaSignatureBytes);
  }
  ByteVector result(32);
  EVP_DigestFinalXOF(accumulator, result.data(), result.size());
  EVP_MD_CTX_free(source);
  EVP_MD_CTX_free(accumulator);
  EXPECT_EQ(result, from_hex("8358a1843220194417cadbc2651295cd8fc65125b5a5c1a239a16dc8b57ca199"));
}

void expect_sealed(AeadKind kind, std::string_view key, std::string_view nonce,
                   std::string_view associated, ByteVector text, std::string_view ciphertext,
                   std::string_view tag) {
  AeadSealer sealer(kind);
  const ByteVector key_bytes = from_hex(key), nonce_bytes = from_hex(nonce);
  sealer.set_key(std::span(key_bytes).first<32>());
  std::array<std::uint8_t, 16> made{};
  sealer.seal(std::span(nonce_bytes).first<12>(), from_hex(associated), text, made);
  EXPECT_EQ(text, from_hex(ciphertext));
  EXPECT_TRUE(equal(made, from_hex(tag)));
}

TEST(Vectors, aes_256_gcm_of_mcgrew_and_viega_test_case_16) {
  expect_sealed(AeadKind::aes_256_gcm,
                "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
                "cafebabefacedbaddecaf888", "feedfacedeadbeeffeedfacedeadbeefabaddad2",
                from_hex("d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
                         "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
                "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
                "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
                "76fc6ece0f4e1768cddf8853bb2d551b");
}

TEST(Vectors, chacha20_poly1305_of_rfc_8439_section_2_8_2) {
  expect_sealed(AeadKind::chacha20_poly1305,
                "808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f",
                "070000004041424344454647", "50515253c0c1c2c3c4c5c6c7",
                to_vector(as_bytes("Ladies and Gentlemen of the class of '99: If I could offer you "
                                   "only one tip for the future, sunscreen would be it.")),
                "d31a8d34648e60db7b86afbc53ef7ec2a4aded51296e08fea9e2b5a736ee62d6"
                "3dbea45e8ca9671282fafb69da92728b1a71de0a9e060b2905d6a5b67ecd3b36"
                "92ddbd7f2d778b8c9803aee328091b58fab324e4fad675945585808b4831d7bc"
                "3ff4def08e4b7a9de576d26586cec64b6116",
                "1ae10b594f09e26a7e902ecbd0600691");
}

// RFC 5869 appendix A.1, through the reference that other tests trust.
TEST(Vectors, the_reference_hkdf_is_that_of_rfc_5869_test_case_1) {
  const ByteVector prk = reference::hkdf("EXTRACT_ONLY", ByteVector(22, 0x0b),
                                         from_hex("000102030405060708090a0b0c"), {}, 32);
  EXPECT_EQ(prk, from_hex("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"));
  EXPECT_EQ(reference::hkdf("EXPAND_ONLY", prk, {}, from_hex("f0f1f2f3f4f5f6f7f8f9"), 42),
            from_hex("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf"
                     "34007208d5b887185865"));
}

}  // namespace
}  // namespace karst::crypto
