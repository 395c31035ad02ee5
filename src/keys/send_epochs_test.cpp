#include "keys/send_epochs.h"

#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};
constexpr auto kCounted = RecordClass::counted;
constexpr auto kUncounted = RecordClass::uncounted;

struct Sender {
  explicit Sender(EpochPolicy policy = kExtreme, Carrier carrier = Carrier::stream)
      : epochs(RatchetPair::parameters(policy, 8, carrier), RatchetPair::root(0x11)) {}

  void prepare(int count) {
    for (int i = 0; i < count; ++i) {
      epochs.add_prepared(RatchetPair::secret<EpochSecret>(static_cast<std::uint8_t>(50 + i)));
    }
  }
  std::uint64_t seal(RecordClass record, std::size_t bytes, TimePoint now = kNow) {
    return epochs.begin_record(record, bytes, now).epoch;
  }
  SendEpochs epochs;
};

TEST(SendEpochs, a_spent_epoch_without_a_prepared_one_cannot_seal_counted_records) {
  Sender sender;
  sender.seal(kCounted, kExtreme.bytes - 10);
  EXPECT_TRUE(sender.epochs.can_seal(kCounted, 10, kNow));
  EXPECT_FALSE(sender.epochs.can_seal(kCounted, 11, kNow));
  sender.prepare(1);
  EXPECT_TRUE(sender.epochs.can_seal(kCounted, 11, kNow));
}

TEST(SendEpochs, a_spent_epoch_still_seals_uncounted_records) {
  Sender sender;
  sender.seal(kCounted, kExtreme.bytes);
  sender.prepare(1);
  EXPECT_EQ(sender.seal(kUncounted, 1608), 0u) << "an uncounted record entered the next epoch";
}

TEST(SendEpochs, every_prepared_epoch_delivers_its_whole_budget) {
  Sender sender;
  sender.prepare(3);
  for (std::uint64_t epoch = 0; epoch <= 3; ++epoch) {
    for (std::uint64_t record = 0; record < 64; ++record) {
      EXPECT_EQ(sender.seal(kCounted, 4096), epoch);
    }
  }
  EXPECT_FALSE(sender.epochs.can_seal(kCounted, 1, kNow));
}

TEST(SendEpochs, an_epoch_ends_early_when_the_next_full_record_does_not_fit) {
  Sender sender;
  sender.prepare(1);
  for (int record = 0; record < 16; ++record) EXPECT_EQ(sender.seal(kCounted, 16'335), 0u);
  EXPECT_EQ(sender.seal(kCounted, 16'335), 1u);
}

TEST(SendEpochs, a_prepared_epoch_is_entered_only_when_the_current_one_does_not_admit) {
  Sender sender;
  sender.prepare(1);
  EXPECT_EQ(sender.seal(kCounted, 1), 0u);
  EXPECT_EQ(sender.epochs.prepared(), 1u);
}

TEST(SendEpochs, active_time_ends_an_epoch) {
  Sender sender;
  sender.prepare(1);
  for (int record = 0; record <= 5; ++record) {
    EXPECT_EQ(sender.seal(kCounted, 1, kNow + record * 100ms), 0u) << record;
  }
  EXPECT_EQ(sender.seal(kCounted, 1, kNow + 501ms), 1u);
}

TEST(SendEpochs, the_uncounted_bound_moves_on_to_the_prepared_epoch) {
  Sender sender;
  for (std::uint64_t record = 0; record < kExtreme.frames + 65'536; ++record) {
    ASSERT_EQ(sender.seal(kUncounted, 1), 0u);
  }
  EXPECT_FALSE(sender.epochs.can_seal(kUncounted, 1, kNow));
  sender.prepare(1);
  EXPECT_EQ(sender.seal(kUncounted, 1), 1u);
}

TEST(SendEpochs, the_sequence_counts_every_record_and_no_epoch_resets_it) {
  Sender sender;
  sender.prepare(3);
  for (std::uint64_t sequence = 0; sequence < 2000; ++sequence) {
    const bool counted = sequence % 2 == 0;
    EXPECT_EQ(sender.epochs.begin_record(counted ? kCounted : kUncounted, 1, kNow).sequence,
              sequence);
  }
  EXPECT_EQ(sender.epochs.current(), 1u);
}

TEST(SendEpochs, at_its_age_the_key_goes_and_the_next_record_uses_the_prepared_epoch) {
  Sender sender;
  EXPECT_FALSE(sender.epochs.next_deadline().has_value()) << "an unused epoch has no age";
  sender.seal(kUncounted, 1);
  sender.seal(kCounted, 1, kNow + 50s);
  EXPECT_EQ(sender.epochs.next_deadline(), kNow + 120s);
  EXPECT_TRUE(sender.epochs.can_seal(kCounted, 1, kNow + 120s - 1ns));
  sender.epochs.handle_deadline(kNow + 120s);
  EXPECT_FALSE(sender.epochs.next_deadline().has_value());
  EXPECT_FALSE(sender.epochs.can_seal(kCounted, 1, kNow + 120s));
  EXPECT_FALSE(sender.epochs.can_seal(kUncounted, 1, kNow + 120s));
  sender.prepare(1);
  EXPECT_EQ(sender.seal(kUncounted, 1, kNow + 24h), 1u);
  EXPECT_EQ(sender.epochs.next_deadline(), kNow + 24h + 120s);
}

TEST(SendEpochs, the_age_holds_also_when_its_timer_is_late) {
  Sender sender;
  sender.seal(kCounted, 1);
  sender.prepare(1);
  EXPECT_EQ(sender.seal(kUncounted, 1, kNow + 121s), 1u);
}

TEST(SendEpochs, progress_is_a_counted_record_or_the_first_record_of_an_epoch) {
  Sender sender;
  sender.prepare(2);
  EXPECT_EQ(sender.epochs.progress(), 0u);
  sender.seal(kUncounted, 1);
  EXPECT_EQ(sender.epochs.progress(), 1u);
  sender.seal(kUncounted, 1);
  EXPECT_EQ(sender.epochs.progress(), 1u);
  sender.seal(kCounted, 1);
  EXPECT_EQ(sender.epochs.progress(), 2u);
  sender.seal(kUncounted, 1, kNow + 1h);  // enters epoch 1
  EXPECT_EQ(sender.epochs.progress(), 3u);
}

TEST(SendEpochs, the_packet_key_follows_the_epoch_on_the_datagram_carrier) {
  Sender sender(kExtreme, Carrier::datagram);
  sender.prepare(1);
  const auto epoch_0 = derive_epoch_secret(RatchetPair::root(0x11), Carrier::datagram,
                                           crypto::AeadKind::aes_256_gcm);
  sender.seal(kCounted, kExtreme.bytes);
  EXPECT_TRUE(equal(sender.epochs.packet_key().expose(), epoch_0.expose()));
  sender.seal(kCounted, 1);
  EXPECT_TRUE(
      equal(sender.epochs.packet_key().expose(), RatchetPair::secret<EpochSecret>(50).expose()));
  sender.epochs.handle_deadline(kNow + 120s);
  EXPECT_TRUE(equal(sender.epochs.packet_key().expose(), ByteVector(32, 0)));
}

TEST(SendEpochs, a_packet_nonce_is_four_zero_bytes_and_the_number) {
  EXPECT_EQ(packet_nonce(0x01020304050607),
            (std::array<std::uint8_t, 12>{0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(SendEpochs, counts_what_each_epoch_carried) {
  Sender sender;
  sender.prepare(1);
  for (int record = 0; record < 17; ++record) sender.seal(kCounted, 16'335);
  sender.seal(kUncounted, 100);
  const SendEpochCounters& counters = sender.epochs.counters();
  EXPECT_EQ(counters.records.counted_records, 17u);
  EXPECT_EQ(counters.records.uncounted_records, 1u);
  EXPECT_EQ(counters.records.bytes, 17u * 16'335);
  EXPECT_EQ(counters.records_per_epoch.total(), 1u);
  EXPECT_EQ(counters.records_per_epoch.percentile(100), log_bucket_top(log_bucket(16)));
  EXPECT_EQ(counters.bytes_per_epoch.percentile(100), log_bucket_top(log_bucket(16 * 16'335)));
}

}  // namespace
}  // namespace karst::keys
