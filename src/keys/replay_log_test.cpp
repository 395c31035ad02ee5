#include "keys/replay_log.h"

#include <gtest/gtest.h>

#include "crypto/reference_for_test.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;
constexpr BootId kBoot = {1, 2, 3}, kOtherBoot = {9};
constexpr TimePoint kNow{5h};

ReplayId id(std::uint8_t value) { return {value}; }

ByteVector log_of(const BootId& boot, std::initializer_list<ReplayRecord> records) {
  ByteVector bytes;
  append_replay_header(bytes, boot);
  for (const ReplayRecord& record : records) append_replay_record(bytes, boot, record);
  return bytes;
}

TEST(ReplayLog, has_the_layout_of_the_page_of_files) {
  namespace ref = crypto::reference;
  const ByteVector bytes = log_of(kBoot, {{id(7), TimePoint(1'500ms)}});
  const auto with_check = [](std::string_view label, ByteVector content) {
    const ByteVector check = ref::sha256(ref::join({as_bytes(label), kBoot, content}));
    return ref::join({content, Bytes(check).first(8)});
  };
  const ByteVector time = {0, 0, 0, 0, 0, 0, 5, 0xdc};
  EXPECT_EQ(
      bytes,
      ref::join({with_check("karst/1 replay header", ref::join({as_bytes("karstrp1"), kBoot})),
                 with_check("karst/1 replay record", ref::join({id(7), time}))}));
}

TEST(ReplayLog, a_header_does_not_read_as_a_record) {
  ByteVector bytes = log_of(kBoot, {});
  append_replay_header(bytes, kBoot);
  EXPECT_EQ(parse_replay_log(bytes, kBoot, kNow)->damaged, 1u);
}

TEST(ReplayLog, of_the_same_boot_keeps_its_times) {
  const auto log = parse_replay_log(log_of(kBoot, {{id(1), TimePoint(1h)}, {id(2), TimePoint(4h)}}),
                                    kBoot, kNow);
  ASSERT_TRUE(log.ok());
  ASSERT_EQ(log->records.size(), 2u);
  EXPECT_EQ(log->records[0].at, TimePoint(1h));
  EXPECT_EQ(log->records[1].at, TimePoint(4h));
}

TEST(ReplayLog, times_are_rounded_up_so_that_no_record_seems_older) {
  const auto log = parse_replay_log(log_of(kBoot, {{id(1), TimePoint(1h + 1ns)}}), kBoot, kNow);
  EXPECT_EQ(log->records[0].at, TimePoint(1h + 1ms));
}

TEST(ReplayLog, no_time_is_later_than_now) {
  const auto log = parse_replay_log(log_of(kBoot, {{id(1), TimePoint(6h)}}), kBoot, kNow);
  EXPECT_EQ(log->records[0].at, kNow);
}

TEST(ReplayLog, of_another_boot_counts_the_time_between_as_zero) {
  const TimePoint booted(10s);
  const auto log = parse_replay_log(
      log_of(kOtherBoot,
             {{id(1), TimePoint(100h)}, {id(2), TimePoint(102h)}, {id(3), TimePoint(101h)}}),
      kBoot, booted);
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(log->records[0].at, booted - 2h);
  EXPECT_EQ(log->records[1].at, booted);
  EXPECT_EQ(log->records[2].at, booted - 1h);
}

TEST(ReplayLog, times_before_the_boot_survive_a_second_reboot) {
  const auto once = parse_replay_log(
      log_of(kOtherBoot, {{id(1), TimePoint(-2h)}, {id(2), TimePoint(10s)}}), kBoot, TimePoint(1s));
  EXPECT_EQ(once->records[0].at, TimePoint(1s) - 2h - 10s);
}

TEST(ReplayLog, a_torn_tail_costs_only_the_torn_record) {
  const ByteVector bytes = log_of(kBoot, {{id(1), TimePoint(1h)}, {id(2), TimePoint(2h)}});
  for (std::size_t size = kReplayHeaderBytes; size <= bytes.size(); ++size) {
    const auto log = parse_replay_log(Bytes(bytes).first(size), kBoot, kNow);
    ASSERT_TRUE(log.ok());
    const std::size_t whole = (size - kReplayHeaderBytes) / kReplayRecordBytes;
    EXPECT_EQ(log->records.size(), whole);
    EXPECT_EQ(log->damaged, (size - kReplayHeaderBytes) % kReplayRecordBytes == 0 ? 0u : 1u);
  }
}

TEST(ReplayLog, every_changed_bit_of_a_record_costs_only_that_record) {
  ByteVector bytes =
      log_of(kBoot, {{id(1), TimePoint(1h)}, {id(2), TimePoint(2h)}, {id(3), TimePoint(3h)}});
  const std::size_t start = kReplayHeaderBytes + kReplayRecordBytes;
  for (std::size_t bit = 0; bit < kReplayRecordBytes * 8; ++bit) {
    const std::uint8_t mask = static_cast<std::uint8_t>(1u << bit % 8);
    bytes[start + bit / 8] ^= mask;
    const auto log = parse_replay_log(bytes, kBoot, kNow);
    ASSERT_TRUE(log.ok());
    EXPECT_EQ(log->damaged, 1u);
    ASSERT_EQ(log->records.size(), 2u);
    EXPECT_EQ(log->records[0].id, id(1));
    EXPECT_EQ(log->records[1].id, id(3));
    bytes[start + bit / 8] ^= mask;
  }
}

TEST(ReplayLog, a_file_without_an_intact_header_is_foreign) {
  ByteVector bytes = log_of(kBoot, {{id(1), TimePoint(1h)}});
  for (std::size_t bit = 0; bit < kReplayHeaderBytes * 8; ++bit) {
    const std::uint8_t mask = static_cast<std::uint8_t>(1u << bit % 8);
    bytes[bit / 8] ^= mask;
    EXPECT_TRUE(parse_replay_log(bytes, kBoot, kNow).error().is(kReplayLogForeign)) << bit;
    bytes[bit / 8] ^= mask;
  }
  for (std::size_t size = 1; size < kReplayHeaderBytes; ++size) {
    EXPECT_FALSE(parse_replay_log(Bytes(bytes).first(size), kBoot, kNow).ok());
  }
  EXPECT_TRUE(parse_replay_log({}, kBoot, kNow).ok());
}

}  // namespace
}  // namespace karst::keys
