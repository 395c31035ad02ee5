#include "keys/stream_receive_epochs.h"

#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"
#include "keys/send_epochs.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};
constexpr auto kCounted = RecordClass::counted;
constexpr auto kUncounted = RecordClass::uncounted;

struct Record {
  SealSlot slot;
  ByteVector text;
  std::array<std::uint8_t, 16> tag{};
};

// Both sides of one direction, without the exchange: epochs are prepared by hand.
struct OneWay {
  explicit OneWay(EpochPolicy policy = kExtreme)
      : parameters(RatchetPair::parameters(policy)),
        send(parameters, RatchetPair::root(0x11)),
        receive(parameters, RatchetPair::root(0x11)) {}

  void prepare() {
    const auto fill = static_cast<std::uint8_t>(++prepared * 7);
    send.add_prepared(RatchetPair::secret<EpochSecret>(fill));
    receive.add_prepared(RatchetPair::secret<EpochSecret>(fill));
  }
  Record seal(RecordClass record, std::size_t bytes = 100, TimePoint now = kNow) {
    Record out{send.begin_record(record, bytes, now), ByteVector(bytes, 9)};
    send.seal(as_bytes("header"), out.text, out.tag);
    return out;
  }
  Result<void> open(Record record, TimePoint now = kNow) {
    return receive.open(record.slot.epoch, record.slot.sequence, as_bytes("header"), record.text,
                        record.tag, now);
  }

  LinkParameters parameters;
  SendEpochs send;
  StreamReceiveEpochs receive;
  std::uint64_t prepared = 0;
};

TEST(StreamReceiveEpochs, the_first_authentic_record_of_the_next_epoch_retires_the_old_for_good) {
  OneWay link;
  link.prepare();
  const Record first = link.seal(kCounted, kExtreme.bytes);
  const Record second = link.seal(kCounted);
  ASSERT_EQ(second.slot.epoch, 1u);
  ASSERT_TRUE(link.open(first).ok());
  EXPECT_EQ(link.receive.current(), 0u);
  ASSERT_TRUE(link.open(second).ok());
  EXPECT_EQ(link.receive.current(), 1u);
  EXPECT_EQ(link.receive.prepared(), 0u);
  Record old = link.seal(kCounted);
  old.slot.epoch = 0;
  EXPECT_TRUE(link.open(old).error().is(kWrongEpoch));
}

TEST(StreamReceiveEpochs, a_forged_record_of_the_next_epoch_retires_nothing) {
  OneWay link;
  link.prepare();
  Record forged = link.seal(kCounted);
  const Record real = forged;
  forged.slot.epoch = 1;
  EXPECT_TRUE(link.open(forged).error().is(kRecordNotAuthentic));
  EXPECT_EQ(link.receive.current(), 0u);
  EXPECT_EQ(link.receive.prepared(), 1u);
  EXPECT_TRUE(link.open(real).ok());
}

TEST(StreamReceiveEpochs, accepts_the_expected_epoch_and_the_next_prepared_one_and_no_other) {
  struct Case {
    int prepared;
    std::uint64_t epoch;
    const ErrorKind* error;  // kRecordNotAuthentic: the epoch is due, only the key is another
  };
  for (const Case& c :
       {Case{0, 1, &kWrongEpoch}, Case{1, 1, &kRecordNotAuthentic}, Case{1, 2, &kWrongEpoch},
        Case{2, 2, &kWrongEpoch}, Case{2, ~0ull, &kWrongEpoch}}) {
    OneWay link;
    for (int i = 0; i < c.prepared; ++i) link.prepare();
    Record record = link.seal(kCounted);
    record.slot.epoch = c.epoch;
    EXPECT_TRUE(link.open(record).error().is(*c.error)) << c.prepared << " " << c.epoch;
  }
}

TEST(StreamReceiveEpochs, the_sequence_must_be_the_one_after_the_last) {
  for (const std::int64_t off : {-1, 0, 1, 1 << 20}) {
    OneWay link;
    ASSERT_TRUE(link.open(link.seal(kCounted)).ok());
    Record record = link.seal(kCounted);
    record.slot.sequence += static_cast<std::uint64_t>(off);
    const auto opened = link.open(record);
    EXPECT_EQ(opened.ok(), off == 0) << off;
    if (off != 0) {
      EXPECT_TRUE(opened.error().is(kWrongSequence));
    }
  }
}

TEST(StreamReceiveEpochs, the_sequence_goes_on_over_epochs) {
  OneWay link;
  link.prepare();
  link.prepare();
  for (std::uint64_t record = 0; record < 1200; ++record) {
    const Record sealed = link.seal(kCounted, 8);
    ASSERT_EQ(sealed.slot.sequence, record);
    ASSERT_EQ(sealed.slot.epoch, record / 512);
    ASSERT_TRUE(link.open(sealed).ok()) << record;
    ASSERT_TRUE(link.receive.count(kCounted, 8, kNow).ok());
  }
}

TEST(StreamReceiveEpochs, any_altered_byte_is_not_authentic) {
  OneWay link;
  const Record good = link.seal(kCounted, 20);
  for (std::size_t byte = 0; byte < 36; ++byte) {
    Record bad = good;
    (byte < 20 ? bad.text[byte] : bad.tag[byte - 20]) ^= 1;
    EXPECT_TRUE(link.open(bad).error().is(kRecordNotAuthentic)) << byte;
  }
  EXPECT_TRUE(link.open(good).ok());
}

TEST(StreamReceiveEpochs, a_record_beyond_the_budget_is_refused) {
  OneWay bytes, frames, uncounted;
  ASSERT_TRUE(bytes.receive.count(kCounted, kExtreme.bytes, kNow).ok());
  EXPECT_TRUE(bytes.receive.count(kCounted, 1, kNow).error().is(kBudgetExceeded));
  for (int i = 0; i < 512; ++i) ASSERT_TRUE(frames.receive.count(kCounted, 0, kNow).ok());
  EXPECT_TRUE(frames.receive.count(kCounted, 0, kNow).error().is(kBudgetExceeded));
  for (int i = 0; i < 66'048; ++i) {
    ASSERT_TRUE(uncounted.receive.count(kUncounted, 0, kNow).ok());
  }
  EXPECT_TRUE(uncounted.receive.count(kUncounted, 0, kNow).error().is(kBudgetExceeded));
}

// A late record cannot be told from one that was sealed late.
TEST(StreamReceiveEpochs, does_not_enforce_the_sender_s_active_time) {
  OneWay link;
  for (int second = 0; second < 60; ++second) {
    EXPECT_TRUE(link.receive.count(kCounted, 1, kNow + second * 1s).ok());
  }
}

TEST(StreamReceiveEpochs, a_record_after_the_lifetime_ends_the_link_as_expired) {
  for (const bool timer_ran : {true, false}) {
    OneWay link;
    EXPECT_FALSE(link.receive.next_deadline().has_value());
    ASSERT_TRUE(link.open(link.seal(kUncounted)).ok());
    ASSERT_TRUE(link.receive.count(kUncounted, 100, kNow).ok());
    EXPECT_EQ(link.receive.next_deadline(), kNow + 180s);
    const Record in_time = link.seal(kCounted), late = link.seal(kCounted);
    ASSERT_TRUE(link.open(in_time, kNow + 180s - 1ns).ok());
    if (timer_ran) link.receive.handle_deadline(kNow + 180s);
    EXPECT_TRUE(link.open(late, kNow + 180s).error().is(kEpochExpired)) << timer_ran;
  }
}

TEST(StreamReceiveEpochs, after_the_lifetime_the_next_epoch_still_opens) {
  OneWay link;
  link.prepare();
  ASSERT_TRUE(link.open(link.seal(kCounted)).ok());
  ASSERT_TRUE(link.receive.count(kCounted, 100, kNow).ok());
  link.receive.handle_deadline(kNow + 180s);
  const Record next = link.seal(kCounted, 100, kNow + 120s);
  ASSERT_EQ(next.slot.epoch, 1u);
  EXPECT_TRUE(link.open(next, kNow + 180s).ok());
}

TEST(StreamReceiveEpochs, its_share_sums_what_every_epoch_received) {
  OneWay link;
  link.prepare();
  ASSERT_TRUE(link.open(link.seal(kCounted, kExtreme.bytes)).ok());
  ASSERT_TRUE(link.receive.count(kCounted, kExtreme.bytes / 2, kNow).ok());
  EXPECT_EQ(link.receive.received_share(), EpochBudget::kWholeEpoch / 2);
  ASSERT_TRUE(link.open(link.seal(kCounted)).ok());
  ASSERT_TRUE(link.receive.count(kCounted, kExtreme.bytes / 4, kNow).ok());
  EXPECT_EQ(link.receive.received_share(), EpochBudget::kWholeEpoch * 3 / 4);
}

}  // namespace
}  // namespace karst::keys
