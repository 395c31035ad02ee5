// The texts of identity.key, of a client PSK and of the front secret file.
#include <gtest/gtest.h>

#include "base/prng.h"
#include "crypto/reference_for_test.h"
#include "keys/client_psk.h"
#include "keys/front_secret.h"
#include "keys/identity.h"

namespace karst::keys {
namespace {

std::string text_of(const FrontSecrets& secrets) {
  const auto formatted = secrets.format();
  return std::string(as_text(formatted.text.expose()).substr(0, formatted.size));
}

TEST(IdentityFile, reads_as_it_was_written) {
  SeededEntropy entropy(1);
  const crypto::HybridSeed seed = generate_identity(entropy);
  const IdentityText text = format_identity(seed);
  const auto parsed = parse_identity(as_text(text.expose()));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(Identity(*parsed).public_key(), Identity(seed).public_key());
  EXPECT_FALSE(equal(seed.ed25519.expose(), seed.ml_dsa.expose()));
}

TEST(IdentityFile, refuses_everything_but_what_is_written) {
  SeededEntropy entropy(2);
  const IdentityText secret = format_identity(generate_identity(entropy));
  const std::string text(as_text(secret.expose()));
  EXPECT_TRUE(parse_identity(text.substr(0, text.size() - 1)).ok());  // no newline
  for (const std::string& bad : {std::string(), text.substr(0, text.size() - 2), text + "\n",
                                 text.substr(1), " " + text, text.substr(0, 17) + text}) {
    EXPECT_FALSE(parse_identity(bad).ok()) << bad;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = 'G';
    EXPECT_FALSE(parse_identity(bad).ok()) << i;
  }
}

TEST(Identity, its_node_id_is_the_hash_of_both_public_keys) {
  SeededEntropy entropy(3);
  const Identity identity(generate_identity(entropy));
  const auto& key = identity.public_key();
  EXPECT_TRUE(equal(identity.node_id().bytes,
                    crypto::reference::sha256(crypto::reference::join({key.ed25519, key.ml_dsa}))));
}

TEST(ClientPskFile, is_64_lower_case_hex_digits_and_at_most_one_newline) {
  SeededEntropy entropy(4);
  const ClientPsk psk = ClientPsk::random(entropy);
  const PskText secret = format_client_psk(psk);
  const std::string text(as_text(secret.expose()));
  EXPECT_TRUE(equal(parse_client_psk(text)->expose(), psk.expose()));
  EXPECT_TRUE(equal(parse_client_psk(text.substr(0, 64))->expose(), psk.expose()));
  for (const std::string& bad : {text.substr(0, 63), text + "\n", text.substr(0, 64) + "\r\n",
                                 "0" + text, std::string(64, 'A'), std::string()}) {
    EXPECT_FALSE(parse_client_psk(bad).ok()) << bad;
  }
}

TEST(FrontSecrets, reads_as_it_was_written_before_and_after_a_rotation) {
  SeededEntropy entropy(5);
  FrontSecrets secrets(FrontSecret::random(entropy), 7);
  auto parsed = FrontSecrets::parse(text_of(secrets));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->generation(), 7u);
  EXPECT_EQ(parsed->previous({0}), nullptr);

  secrets.rotate(FrontSecret::random(entropy), {1'800'000'000});
  parsed = FrontSecrets::parse(text_of(secrets));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->generation(), 8u);
  EXPECT_TRUE(equal(parsed->current().expose(), secrets.current().expose()));
  EXPECT_TRUE(equal(parsed->previous({1'799'999'999})->expose(),
                    secrets.previous({1'799'999'999})->expose()));
  EXPECT_EQ(parsed->previous({1'800'000'000}), nullptr);
  EXPECT_EQ(text_of(*parsed), text_of(secrets));
}

TEST(FrontSecrets, an_overlap_of_zero_drops_the_old_secret_at_once) {
  SeededEntropy entropy(6);
  FrontSecrets secrets(FrontSecret::random(entropy), 1);
  secrets.rotate(FrontSecret::random(entropy), {0});
  EXPECT_EQ(secrets.previous({0}), nullptr);
}

TEST(FrontSecrets, a_second_rotation_drops_the_oldest_for_good) {
  SeededEntropy entropy(7);
  const FrontSecret first = FrontSecret::random(entropy), second = FrontSecret::random(entropy);
  FrontSecrets secrets(first.duplicate(), 1);
  secrets.rotate(second.duplicate(), {100});
  secrets.rotate(FrontSecret::random(entropy), {100});
  EXPECT_TRUE(equal(secrets.previous({0})->expose(), second.expose()));
  EXPECT_EQ(secrets.previous_generation(), 2u);
}

TEST(FrontSecrets, the_longest_text_fits) {
  SeededEntropy entropy(8);
  FrontSecrets secrets(FrontSecret::random(entropy), 0xfffffffe);
  secrets.rotate(FrontSecret::random(entropy), {INT64_MAX});
  EXPECT_TRUE(FrontSecrets::parse(text_of(secrets)).ok());
}

TEST(FrontSecrets, refuses_everything_but_what_is_written) {
  const std::string hex(64, 'a');
  for (const std::string& good : {"1 " + hex + "\n", "2 " + hex + "\n1 " + hex + " until 5\n"}) {
    EXPECT_TRUE(FrontSecrets::parse(good).ok()) << good;
  }
  for (const std::string& bad :
       {std::string(), hex, "1 " + hex, "0 " + hex + "\n", "01 " + hex + "\n", "-1 " + hex + "\n",
        "4294967296 " + hex + "\n", "1  " + hex + "\n", "1 " + hex + "a\n", "1 " + hex + "\n\n",
        "3 " + hex + "\n1 " + hex + " until 5\n", "1 " + hex + "\n0 " + hex + " until 5\n",
        "2 " + hex + "\n1 " + hex + "\n", "2 " + hex + "\n1 " + hex + " until -5\n",
        "2 " + hex + "\n1 " + hex + " until 05\n", "2 " + hex + "\n1 " + hex + " until 5",
        "2 " + hex + "\n1 " + hex + " until \n",
        "2 " + hex + "\n1 " + hex + " until 9223372036854775808\n"}) {
    EXPECT_FALSE(FrontSecrets::parse(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace karst::keys
