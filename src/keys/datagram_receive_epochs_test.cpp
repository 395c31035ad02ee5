#include "keys/datagram_receive_epochs.h"

#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};
constexpr auto kCounted = RecordClass::counted;
constexpr Duration kRtt = 100ms;

struct Store {
  explicit Store(EpochPolicy policy = kBrisk, crypto::AeadKind aead = crypto::AeadKind::aes_256_gcm)
      : epochs(parameters(policy, aead), RatchetPair::root(0x11)) {}

  static LinkParameters parameters(EpochPolicy policy, crypto::AeadKind aead) {
    auto out = RatchetPair::parameters(policy, 512, Carrier::datagram);
    out.aead = aead;
    return out;
  }
  // Prepares epochs up to and including `newest`, each with a key of its own.
  void prepare_to(std::uint64_t newest) {
    for (; prepared < newest; ++prepared) epochs.add_prepared(secret_of(prepared + 1));
  }
  static EpochSecret secret_of(std::uint64_t epoch) {
    EpochSecret secret;
    secret.expose_mutable()[0] = static_cast<std::uint8_t>(epoch);
    secret.expose_mutable()[1] = static_cast<std::uint8_t>(epoch >> 8);
    secret.expose_mutable()[2] = 1;
    return secret;
  }
  bool accepts(std::uint64_t epoch, TimePoint now = kNow) const {
    const auto found = epochs.find(static_cast<std::uint16_t>(epoch), now);
    return found && found->epoch == epoch;
  }
  Result<void> packet(std::uint64_t epoch, TimePoint now = kNow, std::size_t bytes = 100) {
    CHECK(accepts(epoch, now));
    return epochs.authenticated(epoch, kCounted, bytes, kRtt, now);
  }

  DatagramReceiveEpochs epochs;
  std::uint64_t prepared = 0;
};

TEST(DatagramReceiveEpochs, accepts_the_current_epoch_and_all_prepared_ones) {
  Store store;
  store.prepare_to(512);
  for (std::uint64_t epoch = 0; epoch <= 512; ++epoch) EXPECT_TRUE(store.accepts(epoch)) << epoch;
  EXPECT_FALSE(store.accepts(513));
  EXPECT_FALSE(store.accepts(65'535));
}

TEST(DatagramReceiveEpochs, gives_each_epoch_its_own_key) {
  Store store;
  store.prepare_to(20);
  const auto first = derive_epoch_secret(RatchetPair::root(0x11), Carrier::datagram,
                                         crypto::AeadKind::aes_256_gcm);
  EXPECT_TRUE(equal(store.epochs.find(0, kNow)->secret->expose(), first.expose()));
  for (std::uint16_t epoch = 1; epoch <= 20; ++epoch) {
    EXPECT_TRUE(
        equal(store.epochs.find(epoch, kNow)->secret->expose(), Store::secret_of(epoch).expose()));
  }
}

TEST(DatagramReceiveEpochs, a_newer_packet_retires_all_before_it_skipped_ones_included) {
  Store store;
  store.prepare_to(10);
  ASSERT_TRUE(store.packet(7).ok());
  EXPECT_EQ(store.epochs.current(), 7u);
  EXPECT_EQ(store.epochs.retired(), 7u);
  EXPECT_EQ(store.epochs.prepared(), 3u);
  for (std::uint64_t epoch = 0; epoch <= 10; ++epoch) {
    EXPECT_TRUE(store.accepts(epoch, kNow + 3 * kRtt - 1ns)) << epoch;
    EXPECT_EQ(store.accepts(epoch, kNow + 3 * kRtt), epoch >= 7) << epoch;
  }
}

TEST(DatagramReceiveEpochs, a_retired_key_lives_three_round_trips_and_at_least_250_ms) {
  for (const Duration rtt : {1ms, 83ms, 84ms, 210ms}) {
    Store store;
    store.prepare_to(1);
    ASSERT_TRUE(store.epochs.authenticated(1, kCounted, 1, rtt, kNow).ok());
    EXPECT_EQ(store.epochs.next_deadline(), kNow + std::max<Duration>(3 * rtt, 250ms));
  }
}

TEST(DatagramReceiveEpochs, the_moment_of_retirement_is_fixed_by_the_first_newer_packet) {
  Store store;
  store.prepare_to(3);
  ASSERT_TRUE(store.packet(1, kNow).ok());
  ASSERT_TRUE(store.packet(2, kNow + 100ms).ok());
  ASSERT_TRUE(store.packet(2, kNow + 200ms).ok());
  EXPECT_FALSE(store.accepts(0, kNow + 300ms));
  EXPECT_TRUE(store.accepts(1, kNow + 400ms - 1ns));
  EXPECT_FALSE(store.accepts(1, kNow + 400ms));
}

TEST(DatagramReceiveEpochs, when_the_round_trip_falls_a_newer_key_goes_before_an_older_one) {
  Store store;
  store.prepare_to(3);
  ASSERT_TRUE(store.epochs.authenticated(1, kCounted, 1, 1s, kNow).ok());
  ASSERT_TRUE(store.epochs.authenticated(2, kCounted, 1, 10ms, kNow + 10ms).ok());
  EXPECT_EQ(store.epochs.next_deadline(), kNow + 260ms);
  store.epochs.handle_deadline(kNow + 260ms);
  EXPECT_EQ(store.epochs.retired(), 1u) << "the key of epoch 1 is still held";
  EXPECT_TRUE(store.accepts(0, kNow + 3s - 1ns));
  EXPECT_FALSE(store.accepts(1, kNow + 260ms));
  EXPECT_EQ(store.epochs.next_deadline(), kNow + 3s);
  store.epochs.handle_deadline(kNow + 3s);
  EXPECT_EQ(store.epochs.retired(), 0u);
  EXPECT_FALSE(store.accepts(0, kNow + 3s));
  EXPECT_TRUE(store.accepts(2, kNow + 3s));
}

TEST(DatagramReceiveEpochs, a_packet_of_a_retired_epoch_changes_neither_current_nor_deadlines) {
  Store store;
  store.prepare_to(3);
  ASSERT_TRUE(store.packet(2, kNow).ok());
  ASSERT_TRUE(store.packet(1, kNow + 100ms).ok());
  EXPECT_EQ(store.epochs.current(), 2u);
  EXPECT_EQ(store.epochs.next_deadline(), kNow + 300ms);
}

TEST(DatagramReceiveEpochs, at_its_deadline_a_retired_key_is_gone) {
  Store store;
  store.prepare_to(4);
  ASSERT_TRUE(store.packet(3).ok());
  store.epochs.handle_deadline(kNow + 299ms);
  EXPECT_EQ(store.epochs.retired(), 3u);
  store.epochs.handle_deadline(kNow + 300ms);
  EXPECT_EQ(store.epochs.retired(), 0u);
  EXPECT_TRUE(store.accepts(3, kNow + 300ms));
}

TEST(DatagramReceiveEpochs, at_most_1024_retired_epochs_are_kept) {
  Store store;
  for (std::uint64_t epoch = 1; epoch <= 2000; ++epoch) {
    store.prepare_to(epoch + 512);
    ASSERT_TRUE(store.packet(epoch).ok());
    EXPECT_EQ(store.epochs.retired(), std::min<std::uint64_t>(epoch, 1024));
    EXPECT_EQ(store.accepts(epoch - 1024), epoch >= 1024);
    EXPECT_FALSE(store.accepts(epoch - 1025));
  }
  EXPECT_EQ(store.epochs.retired() + 1 + store.epochs.prepared(), 1537u);
}

TEST(DatagramReceiveEpochs, low_bits_name_exactly_one_epoch_over_every_wrap) {
  Store store;
  for (std::uint64_t epoch = 1; epoch <= 140'000; epoch += 500) {
    store.prepare_to(epoch + 512);
    ASSERT_TRUE(store.packet(epoch).ok());
    store.epochs.handle_deadline(kNow);
  }
  const std::uint64_t current = store.epochs.current();
  std::uint64_t accepted = 0;
  for (std::uint32_t low = 0; low < 65'536; ++low) {
    const auto found = store.epochs.find(static_cast<std::uint16_t>(low), kNow);
    if (!found) continue;
    ++accepted;
    EXPECT_EQ(found->epoch & 0xffff, low);
    EXPECT_TRUE(found->epoch + 1024 >= current && found->epoch <= current + 512);
  }
  EXPECT_EQ(accepted, 1537u);
}

TEST(DatagramReceiveEpochs, a_packet_beyond_its_epoch_s_budget_is_refused_also_when_retired) {
  Store store(kExtreme);
  store.prepare_to(1);
  ASSERT_TRUE(store.packet(0, kNow, kExtreme.bytes).ok());
  ASSERT_TRUE(store.packet(1, kNow, 1).ok());
  EXPECT_TRUE(store.packet(0, kNow, 1).error().is(kBudgetExceeded));
  ASSERT_TRUE(store.packet(1, kNow, kExtreme.bytes - 1).ok());
  EXPECT_TRUE(store.packet(1, kNow, 1).error().is(kBudgetExceeded));
}

TEST(DatagramReceiveEpochs, after_its_lifetime_the_current_epoch_s_packets_are_dropped) {
  for (const bool timer_ran : {true, false}) {
    Store store;
    store.prepare_to(1);
    ASSERT_TRUE(store.packet(0).ok());
    EXPECT_EQ(store.epochs.next_deadline(), kNow + 180s);
    EXPECT_TRUE(store.accepts(0, kNow + 180s - 1ns));
    if (timer_ran) {
      store.epochs.handle_deadline(kNow + 180s);
      EXPECT_FALSE(store.epochs.next_deadline().has_value());
    }
    EXPECT_FALSE(store.accepts(0, kNow + 180s)) << timer_ran;
    EXPECT_TRUE(store.accepts(1, kNow + 180s));
    ASSERT_TRUE(store.packet(1, kNow + 180s).ok());
    if (timer_ran) {
      EXPECT_FALSE(store.accepts(0, kNow + 180s)) << "retirement revived a wiped key";
    }
  }
}

TEST(DatagramReceiveEpochs, the_link_ends_at_the_cipher_s_limit_of_forgeries) {
  EXPECT_EQ(forgery_limit(crypto::AeadKind::aes_256_gcm), 1ull << 52);
  EXPECT_EQ(forgery_limit(crypto::AeadKind::chacha20_poly1305), 1ull << 36);
  ForgeryCount count(3);
  EXPECT_TRUE(count.add().ok());
  EXPECT_TRUE(count.add().ok());
  EXPECT_TRUE(count.add().error().is(kTooManyForgeries));
  Store store;
  EXPECT_TRUE(store.epochs.forged().ok());
  EXPECT_EQ(store.epochs.forgeries(), 1u);
}

}  // namespace
}  // namespace karst::keys
