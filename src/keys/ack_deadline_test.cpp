#include "keys/ack_deadline.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};

TEST(AckDeadline, without_a_sample_it_is_five_seconds) {
  EXPECT_EQ(AckDeadline(Carrier::stream).allowance(), 5s);
}

TEST(AckDeadline, on_the_datagram_carrier_it_is_always_thirty_seconds) {
  AckDeadline deadline(Carrier::datagram);
  EXPECT_EQ(deadline.allowance(), 30s);
  deadline.sample(10ms);
  EXPECT_EQ(deadline.allowance(), 30s);
}

TEST(AckDeadline, it_is_srtt_plus_four_rttvar_in_integer_nanoseconds) {
  AckDeadline deadline(Carrier::stream);
  deadline.sample(4s);  // SRTT 4 s, RTTVAR 2 s
  EXPECT_EQ(deadline.allowance(), 12s);
  deadline.sample(6s);  // RTTVAR 2 + (2 - 2) / 4 = 2 s, SRTT 4 + 2 / 8 = 4.25 s
  EXPECT_EQ(deadline.allowance(), 12'250ms);
  deadline.sample(1s);  // error 3.25 s: RTTVAR 2.3125 s; SRTT 4.25 - 3.25 / 8 = 3.84375 s
  EXPECT_EQ(deadline.allowance(), 3'843'750us + 4 * 2'312'500us);
}

TEST(AckDeadline, it_never_leaves_five_to_thirty_seconds) {
  AckDeadline fast(Carrier::stream), slow(Carrier::stream);
  for (int i = 0; i < 100; ++i) {
    fast.sample(1ms);
    slow.sample(24h);
    EXPECT_EQ(fast.allowance(), 5s);
    EXPECT_EQ(slow.allowance(), 30s);
  }
  EXPECT_EQ(slow.smoothed(), 30s) << "a sample counts as at most 30 s";
}

TEST(AckDeadline, is_frozen_and_never_before_that_of_the_offer_before) {
  AckDeadline deadline(Carrier::stream);
  deadline.sample(6s);
  const TimePoint first = deadline.freeze(kNow);
  EXPECT_EQ(first, kNow + 18s);
  for (int i = 0; i < 100; ++i) deadline.sample(1ms);
  ASSERT_EQ(deadline.allowance(), 5s);
  EXPECT_EQ(deadline.freeze(kNow + 1s), first) << "an allowance that fell moved a deadline back";
  EXPECT_EQ(deadline.freeze(kNow + 14s), kNow + 19s);
}

}  // namespace
}  // namespace karst::keys
