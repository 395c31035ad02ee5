#include "keys/kem_turns.h"

#include <gtest/gtest.h>

#include <map>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;
using Peer = KemTurns::Peer;

constexpr TimePoint kNow{1000s};
constexpr Peer kOne{1}, kTwo{2}, kThree{3};

TEST(KemTurns, peers_that_compete_take_half_of_the_time_and_no_more) {
  KemTurns turns(kNow);
  TimePoint now = kNow;
  Duration worked{};
  while (now < kNow + 10s) {
    bool may = false;
    for (const Peer peer : {kOne, kTwo}) may = may || turns.start(peer, now);
    if (may || turns.take(now)) {
      turns.charge(200us);
      worked += 200us;
      now += 200us;
    } else {
      ASSERT_GT(*turns.next_turn(), now);
      now = *turns.next_turn();
    }
  }
  EXPECT_GE(worked, 4990ms);
  EXPECT_LE(worked, 5010ms);
}

TEST(KemTurns, a_peer_that_is_alone_is_never_held_up) {
  KemTurns turns(kNow);
  TimePoint now = kNow;
  for (int i = 0; i < 10'000; ++i, now += 200us) {
    if (!turns.start(kOne, now)) {
      ASSERT_EQ(*turns.next_turn(), now) << i;
      ASSERT_EQ(turns.take(now), kOne) << i;
    }
    turns.charge(200us);
  }
  // And it leaves no debt to another that comes then.
  turns.start(kTwo, now);
  EXPECT_LE(turns.next_turn().value_or(now), now + 400us);
}

TEST(KemTurns, a_peer_that_is_alone_gives_way_after_two_milliseconds) {
  KemTurns turns(kNow);
  int done = 0;
  for (; done < 100 && turns.start(kOne, kNow + 1h); ++done) turns.charge(200us);
  EXPECT_EQ(done, 11);
}

TEST(KemTurns, a_peer_that_always_wants_more_delays_another_by_one_operation) {
  KemTurns turns(kNow);
  std::map<Peer, int> done;
  TimePoint now = kNow;
  for (int i = 0; i < 3000; ++i, now += 400us) {
    for (const Peer peer : {kOne, kTwo, kThree}) {
      if (i % static_cast<int>(peer) == 0 && turns.start(peer, now)) {
        ++done[peer];
        turns.charge(200us);
      }
    }
    const auto peer = turns.take(now);
    if (!peer) continue;
    ++done[*peer];
    turns.charge(200us);
  }
  EXPECT_NEAR(done[kOne], 1000, 2);
  EXPECT_NEAR(done[kTwo], 1000, 2);
  EXPECT_NEAR(done[kThree], 1000, 2);
}

TEST(KemTurns, a_peer_stands_in_line_once_and_leaves_when_forgotten) {
  KemTurns turns(kNow);
  turns.charge(1ns);
  for (const Peer peer : {kOne, kOne, kTwo, kThree}) EXPECT_FALSE(turns.start(peer, kNow));
  turns.forget(kTwo);
  EXPECT_EQ(turns.take(kNow + 1s), kOne);
  EXPECT_EQ(turns.take(kNow + 1s), kThree);
  EXPECT_EQ(turns.take(kNow + 1s), std::nullopt);
  EXPECT_EQ(turns.next_turn(), std::nullopt);
}

}  // namespace
}  // namespace karst::keys
