#include "keys/epoch_budget.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};
constexpr auto kCounted = RecordClass::counted;
constexpr auto kUncounted = RecordClass::uncounted;

TEST(EpochBudget, bytes_end_an_epoch_at_the_limit_and_not_before) {
  EpochBudget budget(kExtreme);
  budget.add(kCounted, kExtreme.bytes - 100, kNow);
  EXPECT_TRUE(budget.admits(kCounted, 99));
  EXPECT_TRUE(budget.admits(kCounted, 100));
  EXPECT_FALSE(budget.admits(kCounted, 101));
  EXPECT_FALSE(budget.admits(kCounted, ~0ull));
}

TEST(EpochBudget, frames_end_an_epoch_at_the_limit_and_not_before) {
  EpochBudget budget(kExtreme);
  for (std::uint64_t frame = 0; frame < kExtreme.frames; ++frame) {
    ASSERT_TRUE(budget.admits(kCounted, 1)) << frame;
    budget.add(kCounted, 1, kNow);
  }
  EXPECT_FALSE(budget.admits(kCounted, 0));
  EXPECT_EQ(budget.frames(), 512u);
}

TEST(EpochBudget, uncounted_records_spend_nothing_and_have_their_own_bound) {
  EpochBudget budget(kExtreme);
  budget.add(kCounted, kExtreme.bytes, kNow);
  for (std::uint64_t record = 0; record < kExtreme.frames + 65'536; ++record) {
    ASSERT_TRUE(budget.admits(kUncounted, 16'000)) << record;
    budget.add(kUncounted, 16'000, kNow);
  }
  EXPECT_FALSE(budget.admits(kUncounted, 0));
  EXPECT_EQ(budget.bytes(), kExtreme.bytes);
  EXPECT_EQ(budget.frames(), 1u);
}

TEST(EpochBudget, active_time_sums_the_gaps_between_counted_records) {
  EpochBudget budget(kExtreme);
  budget.add(kCounted, 1, kNow);
  for (int gap = 1; gap <= 5; ++gap) budget.add(kCounted, 1, kNow + gap * 90ms);
  EXPECT_EQ(budget.active(), 450ms);
  EXPECT_TRUE(budget.active_admits(kNow + 450ms + 50ms)) << "500 ms are still inside";
  EXPECT_FALSE(budget.active_admits(kNow + 450ms + 51ms));
}

TEST(EpochBudget, a_pause_counts_as_100_ms_and_the_time_before_the_first_record_as_nothing) {
  EpochBudget budget(kExtreme);
  EXPECT_TRUE(budget.active_admits(kNow + 24h));
  for (int record = 0; record < 6; ++record) {
    EXPECT_TRUE(budget.active_admits(kNow + record * 1h)) << record;
    budget.add(kCounted, 1, kNow + record * 1h);
  }
  EXPECT_EQ(budget.active(), 500ms);
  EXPECT_FALSE(budget.active_admits(kNow + 6h));
}

TEST(EpochBudget, an_uncounted_record_does_not_move_active_time) {
  EpochBudget budget(kExtreme);
  budget.add(kCounted, 1, kNow);
  budget.add(kUncounted, 1, kNow + 50ms);
  EXPECT_EQ(budget.active(), 0ms);
  budget.add(kCounted, 1, kNow + 80ms);
  EXPECT_EQ(budget.active(), 80ms);
  // Nor does one in a pause make it count as two.
  budget.add(kUncounted, 1, kNow + 170ms);
  budget.add(kCounted, 1, kNow + 260ms);
  EXPECT_EQ(budget.active(), 180ms);
}

TEST(EpochBudget, the_first_record_of_either_class_begins_the_age) {
  EpochBudget budget(kExtreme);
  EXPECT_FALSE(budget.first_record().has_value());
  budget.add(kUncounted, 1, kNow);
  budget.add(kCounted, 1, kNow + 1s);
  EXPECT_EQ(budget.first_record(), kNow);
}

TEST(EpochBudget, its_share_is_the_larger_of_bytes_and_frames) {
  EpochBudget half_of_bytes(kExtreme), quarter_of_frames(kExtreme);
  half_of_bytes.add(kCounted, kExtreme.bytes / 2, kNow);
  for (int frame = 0; frame < 128; ++frame) quarter_of_frames.add(kCounted, 0, kNow);
  EXPECT_EQ(half_of_bytes.share(), EpochBudget::kWholeEpoch / 2);
  EXPECT_EQ(quarter_of_frames.share(), EpochBudget::kWholeEpoch / 4);
}

TEST(EpochBudget, the_largest_policy_does_not_overflow) {
  const EpochPolicy largest{kEpochBytesMax, kEpochFramesMaxStream, kEpochActiveMsMax};
  EpochBudget budget(largest);
  budget.add(kCounted, kEpochBytesMax, kNow);
  EXPECT_EQ(budget.share(), EpochBudget::kWholeEpoch);
  EXPECT_FALSE(budget.admits(kCounted, 1));
  EXPECT_EQ(max_epoch_age(largest), 48h);
}

TEST(EpochBudget, an_epoch_lives_twice_its_active_time_and_at_least_120_s) {
  EXPECT_EQ(max_epoch_age(kExtreme), 120s);
  EXPECT_EQ(max_epoch_age({262'144, 1, 60'000}), 120s);
  EXPECT_EQ(max_epoch_age({262'144, 1, 60'001}), 120'002ms);
  EXPECT_EQ(max_epoch_age(kSoft), 3600s);
}

}  // namespace
}  // namespace karst::keys
