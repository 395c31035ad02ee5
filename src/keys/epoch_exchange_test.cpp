#include "keys/epoch_exchange.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/prng.h"
#include "keys/epoch_secret.h"
#include "keys/ratchet_oracle_for_test.h"
#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

constexpr Direction kUp = Direction::client_to_server;

struct Exchange {
  OfferBody offer{};
  AckBody ack{};
  EpochRoot offering_root;
  EpochRoot answering_root;
};

// One exchange whose answering side sees `offer_seen` instead of the OFFER, if given.
Exchange run(std::uint64_t offer_seed, std::uint64_t ack_seed, std::uint64_t epoch = 3) {
  Exchange out;
  SeededEntropy offering(offer_seed), answering(ack_seed);
  auto secrets = OfferSecrets::make(kUp, epoch, offering, out.offer);
  out.answering_root = *answer_offer(kUp, RatchetPair::root(0x11), RatchetPair::psk(),
                                     *wire::parse_offer(out.offer), answering, out.ack);
  out.offering_root = *secrets.finish(RatchetPair::root(0x11), RatchetPair::psk(),
                                      *wire::parse_ack(out.ack), out.ack);
  return out;
}

TEST(EpochExchange, both_sides_derive_the_root_that_the_protocol_states) {
  const Exchange exchange = run(7, 8);
  // The offering side drew its ML-KEM seed, then its X25519 key.
  SeededEntropy again(7);
  const auto kem_seed = again.bytes<64>();
  const auto x25519_private = again.bytes<32>();
  const Bytes ack(exchange.ack);
  const auto kem = oracle::ml_kem_decapsulate(kem_seed, ack.subspan(40));
  const auto dh = oracle::x25519(x25519_private, ack.subspan(8, 32));
  const auto expected =
      oracle::epoch_root(1, 3, RatchetPair::root(0x11).expose(), RatchetPair::psk().expose(), kem,
                         dh, exchange.offer, exchange.ack);
  EXPECT_TRUE(equal(exchange.offering_root.expose(), expected));
  EXPECT_TRUE(equal(exchange.answering_root.expose(), expected));
}

TEST(EpochExchange, an_offer_carries_its_epoch_and_fresh_keys_each_time) {
  SeededEntropy entropy(1);
  OfferBody first_body, second_body;
  auto first = OfferSecrets::make(kUp, 1, entropy, first_body);
  auto second = OfferSecrets::make(kUp, 2, entropy, second_body);
  const auto one = *wire::parse_offer(first_body), two = *wire::parse_offer(second_body);
  EXPECT_EQ(one.epoch, 1u);
  EXPECT_EQ(two.epoch, 2u);
  EXPECT_NE(one.x25519, two.x25519);
  EXPECT_NE(one.kem, two.kem);
}

TEST(EpochExchange, an_ack_has_fresh_keys_each_time_also_for_the_same_offer) {
  SeededEntropy entropy(1);
  OfferBody offer;
  auto secrets = OfferSecrets::make(kUp, 1, entropy, offer);
  AckBody first_body, second_body;
  for (AckBody* body : {&first_body, &second_body}) {
    ASSERT_TRUE(answer_offer(kUp, RatchetPair::root(0x11), RatchetPair::psk(),
                             *wire::parse_offer(offer), entropy, *body)
                    .ok());
  }
  const auto one = *wire::parse_ack(first_body), two = *wire::parse_ack(second_body);
  EXPECT_NE(one.x25519, two.x25519);
  EXPECT_NE(one.kem, two.kem);
}

// Whatever both sides must agree on: one difference and the roots differ.
TEST(EpochExchange, a_difference_in_anything_that_both_must_know_gives_another_root) {
  struct Case {
    const char* what;
    Direction direction = kUp;
    std::uint8_t root = 0x11;
    std::uint8_t psk = 0x33;
    std::size_t altered_ack_byte = 0;  // 0: none
  };
  const Case cases[] = {{"nothing"},
                        {"direction", Direction::server_to_client},
                        {"root", kUp, 0x12},
                        {"psk", kUp, 0x11, 0x34},
                        {"x25519", kUp, 0x11, 0x33, 8},
                        {"ciphertext", kUp, 0x11, 0x33, wire::kAckBytes - 1}};
  for (const Case& c : cases) {
    SeededEntropy offering(7), answering(8);
    OfferBody offer;
    AckBody ack;
    auto secrets = OfferSecrets::make(kUp, 3, offering, offer);
    const auto answered =
        answer_offer(c.direction, RatchetPair::root(c.root), RatchetPair::secret<PskLink>(c.psk),
                     *wire::parse_offer(offer), answering, ack);
    if (c.altered_ack_byte != 0) ack[c.altered_ack_byte] ^= 1;
    const auto finished =
        secrets.finish(RatchetPair::root(0x11), RatchetPair::psk(), *wire::parse_ack(ack), ack);
    ASSERT_TRUE(answered.ok() && finished.ok());
    EXPECT_EQ(equal(answered->expose(), finished->expose()), c.what == cases[0].what) << c.what;
  }
}

TEST(EpochExchange, a_bad_public_key_is_refused_on_either_side) {
  SeededEntropy entropy(1);
  OfferBody body;
  AckBody ack_body;
  auto secrets = OfferSecrets::make(kUp, 1, entropy, body);
  const wire::Offer good = *wire::parse_offer(body);
  wire::Offer zero_point = good, big_coefficient = good;
  zero_point.x25519.fill(0);
  big_coefficient.kem.fill(0xff);
  for (const wire::Offer& offer : {zero_point, big_coefficient}) {
    const auto root =
        answer_offer(kUp, RatchetPair::root(0x11), RatchetPair::psk(), offer, entropy, ack_body);
    ASSERT_FALSE(root.ok());
    EXPECT_TRUE(root.error().is(kOfferBadKey));
  }
  wire::Ack ack;
  ack.epoch = 1;
  wire::format_ack(ack, ack_body);
  const auto root = secrets.finish(RatchetPair::root(0x11), RatchetPair::psk(), ack, ack_body);
  ASSERT_FALSE(root.ok());
  EXPECT_TRUE(root.error().is(kAckBadKey));
}

TEST(EpochSecret, each_carrier_and_each_cipher_has_its_own) {
  const EpochRoot root = RatchetPair::root(0x11);
  const auto derive = [&](Carrier carrier, crypto::AeadKind aead) {
    return to_vector(derive_epoch_secret(root, carrier, aead).expose());
  };
  EXPECT_EQ(derive(Carrier::stream, crypto::AeadKind::aes_256_gcm),
            oracle::chain_start(root.expose()));
  for (const std::uint8_t aead : std::initializer_list<std::uint8_t>{1, 2}) {
    const auto info = oracle::join({as_bytes("karst/1 packet key"), Bytes(&aead, 1)});
    EXPECT_EQ(derive(Carrier::datagram, static_cast<crypto::AeadKind>(aead)),
              oracle::expand(root.expose(), info, 32));
  }
}

}  // namespace
}  // namespace karst::keys
