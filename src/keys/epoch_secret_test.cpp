#include "keys/epoch_secret.h"

#include <gtest/gtest.h>

#include <set>

#include "keys/ratchet_oracle_for_test.h"
#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

EpochSecret start() { return RatchetPair::secret<EpochSecret>(0x44); }

TEST(RecordChain, gives_the_keys_that_the_protocol_states) {
  RecordChain chain;
  chain.start(start());
  ByteVector value = to_vector(start().expose());
  for (int record = 0; record < 5; ++record) {
    const ByteVector step = oracle::record_step(value);
    RecordChain::RecordKey key;
    chain.next(key);
    EXPECT_TRUE(equal(key.expose(), Bytes(step).first(44))) << record;
    value = to_vector(Bytes(step).last(32));
  }
}

TEST(RecordChain, no_two_records_share_a_key_or_a_nonce) {
  RecordChain chain;
  chain.start(start());
  std::set<ByteVector> keys, nonces;
  for (int record = 0; record < 1000; ++record) {
    RecordChain::RecordKey key;
    chain.next(key);
    keys.insert(to_vector(key.expose().first<32>()));
    nonces.insert(to_vector(key.expose().last<12>()));
  }
  EXPECT_EQ(keys.size(), 1000u);
  EXPECT_EQ(nonces.size(), 1000u);
}

TEST(SealingChain, starting_wipes_the_secret_that_was_given) {
  EpochSecret secret = start();
  SealingChain chain;
  chain.start(std::move(secret));
  EXPECT_TRUE(equal(secret.expose(), ByteVector(32, 0)));
}

TEST(SealingChain, seals_what_openssl_seals_under_the_chain_s_keys) {
  SealingChain chain;
  chain.start(start());
  ByteVector value = to_vector(start().expose());
  for (int record = 0; record < 3; ++record) {
    const ByteVector step = oracle::record_step(value);
    value = to_vector(Bytes(step).last(32));
    const ByteVector plain(100, static_cast<std::uint8_t>(record));
    ByteVector text = plain;
    std::array<std::uint8_t, 16> tag{};
    chain.seal(as_bytes("header"), text, tag);
    EXPECT_EQ(oracle::join({text, tag}),
              oracle::gcm_seal(Bytes(step).first(32), Bytes(step).subspan(32, 12),
                               as_bytes("header"), plain));
  }
}

struct Sealed {
  ByteVector text = ByteVector(50, 7);
  std::array<std::uint8_t, 16> tag{};
};

Sealed seal(SealingChain& chain) {
  Sealed out;
  chain.seal(as_bytes("header"), out.text, out.tag);
  return out;
}

TEST(OpeningChain, opens_the_records_of_the_sealing_chain_in_order) {
  SealingChain sealing;
  OpeningChain opening;
  sealing.start(start());
  opening.start(start());
  for (int record = 0; record < 3; ++record) {
    Sealed sealed = seal(sealing);
    ASSERT_TRUE(opening.open(as_bytes("header"), sealed.text, sealed.tag).ok());
    EXPECT_EQ(sealed.text, ByteVector(50, 7));
  }
}

TEST(OpeningChain, a_record_opens_once_and_a_forgery_changes_nothing) {
  SealingChain sealing;
  OpeningChain opening;
  sealing.start(start());
  opening.start(start());
  Sealed first = seal(sealing), replay = first, forged = first;
  forged.text[3] ^= 1;
  EXPECT_FALSE(opening.open(as_bytes("header"), forged.text, forged.tag).ok());
  EXPECT_EQ(forged.text, ByteVector(50, 0)) << "unauthenticated plaintext was left";
  EXPECT_TRUE(opening.open(as_bytes("header"), first.text, first.tag).ok());
  EXPECT_FALSE(opening.open(as_bytes("header"), replay.text, replay.tag).ok());
}

TEST(OpeningChain, after_a_wipe_nothing_opens) {
  SealingChain sealing;
  OpeningChain opening;
  sealing.start(start());
  opening.start(start());
  Sealed sealed = seal(sealing);
  opening.wipe();
  EXPECT_FALSE(opening.open(as_bytes("header"), sealed.text, sealed.tag).ok());
}

}  // namespace
}  // namespace karst::keys
