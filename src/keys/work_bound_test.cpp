#include "keys/work_bound.h"

#include <gtest/gtest.h>

#include "keys/epoch_budget.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};
constexpr std::uint64_t kEpoch = EpochBudget::kWholeEpoch;

// Answers as many OFFERs as the bound allows, and stops when that has no end.
int answer_all(WorkBound& bound) {
  int answered = 0;
  for (; bound.allows() && answered < 10'000; ++answered) bound.spend();
  return answered;
}

TEST(WorkBound, a_link_begins_with_as_many_offers_as_its_window) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 8, 512}) {
    WorkBound bound(kExtreme, window, kNow);
    EXPECT_EQ(answer_all(bound), window);
  }
}

TEST(WorkBound, an_epoch_s_worth_of_budget_earns_four) {
  WorkBound bound(kExtreme, 8, kNow);
  answer_all(bound);
  bound.earn(kEpoch / 4 - 1, kNow);
  EXPECT_EQ(answer_all(bound), 0);
  bound.earn(kEpoch / 4, kNow);
  EXPECT_EQ(answer_all(bound), 1);
  bound.earn(kEpoch, kNow);
  EXPECT_EQ(answer_all(bound), 3);
}

TEST(WorkBound, time_earns_one_per_half_active_time_and_at_least_one_per_30_s) {
  struct Case {
    EpochPolicy policy;
    Duration period;
  };
  for (const auto& [policy, period] :
       {Case{kExtreme, 250ms}, Case{kBrisk, 5s}, Case{kNormal, 30s}, Case{kSoft, 30s}}) {
    WorkBound bound(policy, 1, kNow);
    answer_all(bound);
    EXPECT_EQ(bound.next_credit(), kNow + period);
    bound.earn(0, kNow + period - 1ns);
    EXPECT_EQ(answer_all(bound), 0);
    EXPECT_EQ(bound.next_credit(), kNow + period);
    bound.earn(0, kNow + period);
    EXPECT_EQ(answer_all(bound), 1);
  }
}

TEST(WorkBound, a_link_holds_at_most_its_window_and_four) {
  WorkBound idle(kExtreme, 8, kNow), busy(kExtreme, 8, kNow);
  idle.earn(0, kNow + 24h);
  busy.earn(1'000'000 * kEpoch, kNow);
  EXPECT_EQ(answer_all(idle), 12);
  EXPECT_EQ(answer_all(busy), 12);
}

// Ten records a second under extreme: an epoch ends by its active time, with five of its 512
// frames. docs/decisions/offer-credit-by-time.md.
TEST(WorkBound, somebody_who_types_never_waits) {
  WorkBound bound(kExtreme, 1, kNow);
  std::uint64_t share = 0;
  for (int epoch = 0; epoch < 1000; ++epoch) {
    bound.earn(share, kNow + epoch * 500ms);
    ASSERT_TRUE(bound.allows()) << "epoch " << epoch;
    bound.spend();
    share += 5 * kEpoch / 512;
  }
}

TEST(WorkBound, bulk_that_ends_each_epoch_a_record_early_never_waits) {
  WorkBound bound(kExtreme, 1, kNow);
  for (std::uint64_t epoch = 0; epoch < 10'000; ++epoch) {
    bound.earn(epoch * kEpoch * 15 / 16, kNow);
    ASSERT_TRUE(bound.allows()) << "epoch " << epoch;
    bound.spend();
  }
}

TEST(WorkBound, a_clock_that_stands_still_or_steps_back_earns_nothing) {
  WorkBound bound(kExtreme, 1, kNow);
  answer_all(bound);
  bound.earn(0, kNow - 1h);
  bound.earn(0, kNow);
  EXPECT_FALSE(bound.allows());
}

}  // namespace
}  // namespace karst::keys
