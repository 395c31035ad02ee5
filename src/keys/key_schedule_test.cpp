#include "keys/key_schedule.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/reference_for_test.h"
#include "keys/identity.h"

namespace karst::keys {
namespace {

namespace ref = crypto::reference;

template <class S>
S filled(std::uint8_t value) {
  return S::from_bytes(ByteVector(S::kBytes, value));
}
TranscriptHash hash_of(std::uint8_t value) {
  TranscriptHash hash;
  hash.fill(value);
  return hash;
}
ByteVector bytes(std::uint8_t value) { return ByteVector(32, value); }

// Any signature that verifies leads to keys; what it is over is tested elsewhere.
PeerVerified verified() {
  SeededEntropy entropy(1);
  const Identity signer(generate_identity(entropy));
  ByteVector record(3'400);
  Transcript signing(Carrier::datagram, {}), verifying(Carrier::datagram, {});
  sign_and_add(signing, record, "test", signer.signer(), entropy);
  crypto::HybridSignature signature;
  copy_bytes(signature.ed25519, Bytes(record).last(3'373).first(64));
  copy_bytes(signature.ml_dsa, Bytes(record).last(3'309));
  return *verify_and_add(verifying, record, "test", signer.public_key(), signature);
}

// The inputs of docs/protocol/session.md, Test vectors.
HandshakeSecret sample_secret() {
  return HandshakeSecret(hash_of(6), filled<crypto::MlKemShared>(1),
                         filled<crypto::X25519Shared>(2), filled<FrontSecret>(3));
}

TEST(KeySchedule, handshake_keys_are_those_that_openssl_gives_by_hand) {
  const ByteVector front_key = ref::expand(bytes(3), "karst/1 front key");
  const ByteVector hs = ref::extract(bytes(6), {bytes(1), bytes(2), front_key});
  const HandshakeSecret secret = sample_secret();
  EXPECT_TRUE(equal(secret.client_key().expose(), ref::expand(hs, "karst/1 client handshake key")));
  EXPECT_TRUE(equal(secret.server_key().expose(), ref::expand(hs, "karst/1 server handshake key")));
}

TEST(KeySchedule, everything_below_root_0_is_what_openssl_gives_by_hand) {
  const ByteVector front_key = ref::expand(bytes(3), "karst/1 front key");
  const ByteVector hs = ref::extract(bytes(6), {bytes(1), bytes(2), front_key});
  const ByteVector psk_link = ref::expand(ref::extract(bytes(7), {bytes(4)}), "karst/1 psk link");
  for (const ByteVector& exporter : {bytes(5), ByteVector()}) {
    const ByteVector root = ref::extract(hs, {psk_link, exporter, bytes(7)});
    PskLink link = derive_psk_link(filled<ClientPsk>(4), hash_of(7));
    EXPECT_TRUE(equal(link.expose(), psk_link));
    const SessionRoot session = sample_secret().mix(verified(), link, exporter, hash_of(7));
    EXPECT_TRUE(equal(session.enrolled_psk().expose(), ref::expand(root, "karst/1 enrolled psk")));
    const LinkSecrets secrets = session.link_secrets(std::move(link));
    EXPECT_TRUE(equal(secrets.client_to_server_root.expose(),
                      ref::expand(root, "karst/1 client to server root")));
    EXPECT_TRUE(equal(secrets.server_to_client_root.expose(),
                      ref::expand(root, "karst/1 server to client root")));
    EXPECT_TRUE(equal(secrets.resume_key.expose(), ref::expand(root, "karst/1 resume")));
    EXPECT_TRUE(equal(secrets.psk_link.expose(), psk_link));
  }
}

// The table of docs/protocol/session.md, Test vectors.
TEST(KeySchedule, gives_the_values_that_the_protocol_page_prints) {
  const HandshakeSecret secret = sample_secret();
  PskLink link = derive_psk_link(filled<ClientPsk>(4), hash_of(7));
  const SessionRoot root = sample_secret().mix(verified(), link, bytes(5), hash_of(7));
  const auto hex = [](std::string_view text) { return ref::from_hex(text); };
  EXPECT_TRUE(equal(secret.client_key().expose(),
                    hex("136ecb593ac418fef5840fd5a3b1cf9f819a67eaa473c3d668cd519d238b934a")));
  EXPECT_TRUE(equal(secret.server_key().expose(),
                    hex("61b485eb5a3ad98b0058ec8099a51836ae324a97f3eeabf4c9a03766a2580319")));
  EXPECT_TRUE(equal(root.enrolled_psk().expose(),
                    hex("7c5254d3e289a28aab33de48442d1a804be9c97dbfcc850cbe312cca9954f073")));
  const LinkSecrets secrets = root.link_secrets(std::move(link));
  EXPECT_TRUE(equal(secrets.psk_link.expose(),
                    hex("68da1ddc7b4cc59bd18fb0831911fc78f2995f663248e2dbe82061f3911794ca")));
  EXPECT_TRUE(equal(secrets.client_to_server_root.expose(),
                    hex("8c4c17044a0f763d4daae621a014d63617250c03450f71101af2879e90649f3c")));
  EXPECT_TRUE(equal(secrets.server_to_client_root.expose(),
                    hex("3f0acd1de4136dc756441d2e87d2f80c2c35d43299f0ee0829ac16454f9b5737")));
  EXPECT_TRUE(equal(secrets.resume_key.expose(),
                    hex("f5d8206f434a1cb9614d98530fc4da7d15baec7f6bf532a032621dda263e730d")));
}

TEST(KeySchedule, every_input_changes_every_output) {
  const auto outputs = [](int changed) {
    const auto fill = [&](int input) {
      return static_cast<std::uint8_t>(input == changed ? 0xff : input);
    };
    HandshakeSecret secret(hash_of(fill(6)), filled<crypto::MlKemShared>(fill(1)),
                           filled<crypto::X25519Shared>(fill(2)), filled<FrontSecret>(fill(3)));
    PskLink link = derive_psk_link(filled<ClientPsk>(fill(4)), hash_of(fill(7)));
    const SessionRoot root =
        std::move(secret).mix(verified(), link, bytes(fill(5)), hash_of(fill(8)));
    LinkSecrets secrets = root.link_secrets(std::move(link));
    return std::array{to_vector(secrets.client_to_server_root.expose()),
                      to_vector(secrets.server_to_client_root.expose()),
                      to_vector(secrets.resume_key.expose()),
                      to_vector(root.enrolled_psk().expose())};
  };
  const auto unchanged = outputs(0);
  for (int input = 1; input <= 8; ++input) {
    const auto changed = outputs(input);
    for (std::size_t i = 0; i < changed.size(); ++i) EXPECT_NE(changed[i], unchanged[i]) << input;
  }
}

TEST(KeySchedule, mixing_wipes_the_handshake_secret) {
  HandshakeSecret secret = sample_secret();
  const PskLink link = derive_psk_link(filled<ClientPsk>(4), hash_of(7));
  const ByteVector before = to_vector(secret.client_key().expose());
  const SessionRoot root = std::move(secret).mix(verified(), link, {}, hash_of(7));
  static_cast<void>(root);
  // What is left is a secret of zeros.
  EXPECT_TRUE(equal(secret.client_key().expose(),  // NOLINT(bugprone-use-after-move)
                    ref::expand(bytes(0), "karst/1 client handshake key")));
  EXPECT_FALSE(equal(secret.client_key().expose(), before));
}

TEST(Transcript, starts_with_suite_carrier_and_exporter) {
  Transcript stream(Carrier::stream, bytes(5));
  stream.add(as_bytes("record"));
  EXPECT_TRUE(
      equal(stream.hash(), ref::sha256(ref::join({ref::lp(as_bytes("karst/1")), ByteVector{1},
                                                  ref::lp(bytes(5)), as_bytes("record")}))));
  const Transcript datagram(Carrier::datagram, {});
  EXPECT_TRUE(equal(datagram.hash(), ref::sha256(ref::join({ref::lp(as_bytes("karst/1")),
                                                            ByteVector{2}, ref::lp({})}))));
}

}  // namespace
}  // namespace karst::keys
