#include "keys/kem_turns.h"

#include <gtest/gtest.h>

#include <map>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;
using Peer = KemTurns::Peer;

constexpr TimePoint kNow{1000s};
constexpr Peer kOne{1}, kTwo{2}, kThree{3};

TEST(KemTurns, takes_half_of_the_time_and_no_more) {
  KemTurns turns(kNow);
  TimePoint now = kNow;
  Duration worked{};
  while (now < kNow + 10s) {
    turns.want(kOne);
    if (turns.take(now)) {
      turns.charge(200us);
      worked += 200us;
      now += 200us;
    } else {
      EXPECT_GT(*turns.next_turn(), now);
      now = *turns.next_turn();
    }
  }
  EXPECT_GE(worked, 4990ms);
  EXPECT_LE(worked, 5010ms);
}

TEST(KemTurns, a_peer_that_always_wants_more_delays_another_by_one_operation) {
  KemTurns turns(kNow);
  std::map<Peer, int> done;
  TimePoint now = kNow;
  turns.want(kOne);
  for (int i = 0; i < 3000; ++i, now += 400us) {
    turns.want(kOne);
    if (i % 2 == 0) turns.want(kTwo);
    if (i % 3 == 0) turns.want(kThree);
    const auto peer = turns.take(now);
    ASSERT_TRUE(peer.has_value());
    ++done[*peer];
    turns.charge(200us);
  }
  EXPECT_NEAR(done[kOne], 1000, 2);
  EXPECT_NEAR(done[kTwo], 1000, 2);
  EXPECT_NEAR(done[kThree], 1000, 2);
}

TEST(KemTurns, a_peer_stands_in_line_once_and_leaves_when_forgotten) {
  KemTurns turns(kNow);
  turns.want(kOne);
  turns.want(kOne);
  turns.want(kTwo);
  turns.want(kThree);
  turns.forget(kTwo);
  EXPECT_EQ(turns.take(kNow), kOne);
  EXPECT_EQ(turns.take(kNow), kThree);
  EXPECT_EQ(turns.take(kNow), std::nullopt);
  EXPECT_EQ(turns.next_turn(), std::nullopt);
}

TEST(KemTurns, an_idle_hour_saves_up_two_milliseconds) {
  KemTurns turns(kNow);
  int done = 0;
  for (; done < 100; ++done) {
    turns.want(kOne);
    if (!turns.take(kNow + 1h)) break;
    turns.charge(200us);
  }
  EXPECT_EQ(done, 11);
}

}  // namespace
}  // namespace karst::keys
