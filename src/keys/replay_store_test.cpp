#include "keys/replay_store.h"

#include <gtest/gtest.h>

#include "base/check.h"
#include "base/prng.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;
constexpr BootId kBoot = {1};
constexpr Endpoint kHome{IpAddress(), 1'000};

struct Replay : testing::Test {
  SeededEntropy entropy{21};
  TimePoint now{20h};
  ByteVector disk;
  std::optional<ReplayStore> store;

  Replay() { start(kBoot); }
  ReplayStore::LoadReport start(const BootId& boot) {
    store.emplace(boot, entropy);
    return *store->load(disk, now);
  }
  static ReplayId id(std::uint32_t value) {
    return {static_cast<std::uint8_t>(value), static_cast<std::uint8_t>(value >> 8),
            static_cast<std::uint8_t>(value >> 16)};
  }
  // The limiter is not what is tested here.
  HandshakeGrant grant() { return *HandshakeLimiter(1).admit(IpAddress(), now); }
  ReplayVerdict judge(std::uint32_t value, const Endpoint& source = kHome) {
    return store->judge(id(value), source, now);
  }
  Result<ReplayTicket> insert(std::uint32_t value, const Endpoint& source = kHome) {
    return store->insert(grant(), id(value), source, now);
  }
  std::optional<ReplayWrite::Kind> write(WriteOutcome outcome = WriteOutcome::durable) {
    const auto wanted = store->poll_write(now);
    if (!wanted) return std::nullopt;
    if (outcome == WriteOutcome::durable) {
      if (wanted->kind == ReplayWrite::Kind::replace) disk.clear();
      disk.insert(disk.end(), wanted->bytes.begin(), wanted->bytes.end());
    }
    store->written(outcome, now);
    return wanted->kind;
  }
  void admit(std::uint32_t value, const Endpoint& source = kHome) {
    CHECK(insert(value, source).ok() && write().has_value());
    CHECK(store->poll_outcome()->result.ok());
  }
};

TEST_F(Replay, an_id_is_a_retransmission_for_10_seconds_and_from_its_source_only) {
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  admit(1);
  const Endpoint other_port{IpAddress(), 1'001};
  const Endpoint other_address{IpAddress::v4({192, 0, 2, 1}), 1'000};
  now += 10s - 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::retransmission);
  EXPECT_EQ(judge(1, other_port), ReplayVerdict::replay);
  EXPECT_EQ(judge(1, other_address), ReplayVerdict::replay);
  now += 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::replay);
}

TEST_F(Replay, of_two_copies_that_were_judged_together_one_is_let_in) {
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  ASSERT_TRUE(insert(1).ok());
  EXPECT_TRUE(insert(1).error().is(kReplayIdKnown));
  ASSERT_TRUE(write());
  EXPECT_TRUE(insert(1).error().is(kReplayIdKnown));
  EXPECT_TRUE(store->poll_outcome()->result.ok());
  EXPECT_FALSE(store->poll_outcome());
}

TEST_F(Replay, an_id_lives_three_hours) {
  admit(1);
  now += 3h - 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::replay);
  now += 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  EXPECT_EQ(store->size(), 0u);
}

TEST_F(Replay, leave_to_answer_comes_only_when_the_id_is_on_disk) {
  const ReplayTicket ticket = *insert(1);
  EXPECT_FALSE(store->poll_outcome().has_value());
  ASSERT_TRUE(store->poll_write(now).has_value());
  EXPECT_FALSE(store->poll_outcome().has_value());
  EXPECT_EQ(judge(1), ReplayVerdict::retransmission) << "it is known while it waits";
  store->written(WriteOutcome::durable, now);
  const auto outcome = store->poll_outcome();
  ASSERT_TRUE(outcome.has_value());
  EXPECT_EQ(outcome->ticket, ticket);
  EXPECT_TRUE(outcome->result.ok());
}

TEST_F(Replay, ids_that_come_during_a_write_share_the_next_one) {
  write();
  ASSERT_TRUE(insert(1).ok());
  const auto first = store->poll_write(now);
  ASSERT_TRUE(insert(2).ok());
  ASSERT_TRUE(insert(3).ok());
  EXPECT_FALSE(store->poll_write(now).has_value());
  store->written(WriteOutcome::durable, now);
  EXPECT_TRUE(store->poll_outcome().has_value());
  EXPECT_FALSE(store->poll_outcome().has_value());
  const auto second = store->poll_write(now);
  EXPECT_EQ(first->bytes.size(), kReplayRecordBytes);
  EXPECT_EQ(second->bytes.size(), 2 * kReplayRecordBytes);
  EXPECT_EQ(second->kind, ReplayWrite::Kind::append);
}

TEST_F(Replay, survives_a_restart_of_the_process_with_its_times) {
  admit(1);
  now += 2h;
  admit(2);
  EXPECT_EQ(start(kBoot).loaded, 2u);
  EXPECT_EQ(judge(1), ReplayVerdict::replay);
  EXPECT_EQ(judge(2), ReplayVerdict::replay) << "the handshake it belonged to is gone";
  now += 1h;
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  EXPECT_EQ(judge(2), ReplayVerdict::replay);
}

TEST_F(Replay, across_a_reboot_an_id_may_live_longer_and_never_shorter) {
  admit(1);
  now += 2h;
  admit(2);
  now = TimePoint(3s);  // The clock starts again; how long the machine was off nobody knows.
  EXPECT_EQ(start(BootId{2}).loaded, 2u);
  now += 1h - 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::replay);
  now += 1ns;
  EXPECT_EQ(judge(1), ReplayVerdict::fresh);
  now += 2h - 1ns;
  EXPECT_EQ(judge(2), ReplayVerdict::replay);
}

TEST_F(Replay, expired_ids_are_not_loaded_and_the_log_is_rewritten_without_them) {
  admit(1);
  now += 2h;
  admit(2);
  now += 1h;
  const auto report = start(kBoot);
  EXPECT_EQ(report.loaded, 1u);
  EXPECT_EQ(report.expired, 1u);
  EXPECT_EQ(write(), ReplayWrite::Kind::replace);
  EXPECT_EQ(disk.size(), kReplayHeaderBytes + kReplayRecordBytes);
}

TEST_F(Replay, a_torn_tail_is_counted_and_rewritten) {
  admit(1);
  admit(2);
  disk.resize(disk.size() - 1);
  const auto report = start(kBoot);
  EXPECT_EQ(report.loaded, 1u);
  EXPECT_EQ(report.damaged, 1u);
  write();
  EXPECT_EQ(start(kBoot).damaged, 0u);
  EXPECT_EQ(judge(1), ReplayVerdict::replay);
}

TEST_F(Replay, when_the_file_cannot_be_written_nobody_new_is_let_in) {
  admit(1);
  const ReplayTicket ticket = *insert(2);
  EXPECT_TRUE(store->writable());
  write(WriteOutcome::failed);
  EXPECT_FALSE(store->writable());
  const auto outcome = store->poll_outcome();
  EXPECT_EQ(outcome->ticket, ticket);
  EXPECT_TRUE(outcome->result.error().is(kReplayStoreUnwritable));
  EXPECT_EQ(judge(2), ReplayVerdict::fresh) << "no answer left for it";
  EXPECT_TRUE(insert(3).error().is(kReplayStoreUnwritable));
  EXPECT_EQ(judge(1), ReplayVerdict::retransmission) << "what is known stays known";
}

TEST_F(Replay, after_a_failure_the_whole_file_is_tried_again_and_then_all_is_well) {
  admit(1);
  ASSERT_TRUE(insert(2).ok());
  write(WriteOutcome::failed);
  EXPECT_EQ(store->next_deadline(), now + kReplayRetryDelay);
  now += kReplayRetryDelay - 1ns;
  EXPECT_FALSE(write().has_value());
  now += 1ns;
  EXPECT_EQ(write(WriteOutcome::failed), ReplayWrite::Kind::replace);
  EXPECT_FALSE(store->writable());
  now += kReplayRetryDelay;
  EXPECT_EQ(write(), ReplayWrite::Kind::replace);
  EXPECT_TRUE(store->writable());
  EXPECT_FALSE(store->next_deadline().has_value());
  static_cast<void>(store->poll_outcome());
  admit(2);
  EXPECT_EQ(start(kBoot).loaded, 2u);
}

TEST_F(Replay, a_foreign_file_is_never_overwritten) {
  const ByteVector foreign = to_vector(as_bytes("this is somebody's thesis, not a replay log"));
  store.emplace(kBoot, entropy);
  EXPECT_TRUE(store->load(foreign, now).error().is(kReplayLogForeign));
  EXPECT_FALSE(store->writable());
  EXPECT_TRUE(insert(1).error().is(kReplayStoreUnwritable));
  now += 24h;
  EXPECT_FALSE(store->poll_write(now).has_value());
  EXPECT_FALSE(store->next_deadline().has_value());
}

TEST_F(Replay, the_log_is_rewritten_when_most_of_it_is_dead) {
  write();
  std::size_t records = 0, replaced_at = 0;
  for (std::uint32_t i = 0; i < 6'000 && replaced_at == 0; ++i) {
    now += 3h;  // each expires before the next comes
    ASSERT_TRUE(insert(i).ok());
    ++records;
    if (write() == ReplayWrite::Kind::replace) replaced_at = records;
    static_cast<void>(store->poll_outcome());
  }
  EXPECT_GT(replaced_at, 4'096u);
  EXPECT_LT(replaced_at, 4'110u);
  EXPECT_EQ(disk.size(), kReplayHeaderBytes + kReplayRecordBytes);
}

TEST_F(Replay, holds_540000_ids_and_not_one_more) {
  for (std::uint32_t i = 0; i < kReplayIdsMax; ++i) {
    ASSERT_TRUE(insert(i).ok()) << i;
    if (i % 4'000 == 0 || i + 1 == kReplayIdsMax) {
      ASSERT_TRUE(store->poll_write(now).has_value());
      store->written(WriteOutcome::durable, now);
      while (store->poll_outcome()) {
      }
    }
  }
  EXPECT_TRUE(insert(kReplayIdsMax).error().is(kReplayStoreFull));
  now += 3h;
  EXPECT_TRUE(insert(kReplayIdsMax).ok());
}

TEST_F(Replay, at_most_4096_ids_wait_for_the_disk) {
  for (std::uint32_t i = 0; i < kReplayPendingMax; ++i) ASSERT_TRUE(insert(i).ok());
  EXPECT_TRUE(insert(kReplayPendingMax).error().is(kReplayStoreBusy));
  write();
  while (store->poll_outcome()) {
  }
  EXPECT_TRUE(insert(kReplayPendingMax).ok());
}

}  // namespace
}  // namespace karst::keys
