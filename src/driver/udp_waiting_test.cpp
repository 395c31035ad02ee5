#include "driver/udp_waiting.h"

#include <gtest/gtest.h>

#include <list>

namespace karst::driver {
namespace {

struct World {
  UdpWaitingTotals all;
  MemoryBudget budget{1ull << 30};
  UdpWaiting one{all, budget};
};

std::size_t take_look_ups(UdpWaiting& link) {
  std::size_t count = 0;
  while (link.begin_look_up()) ++count;
  return count;
}

std::size_t take_bytes(UdpWaiting& link, std::size_t each) {
  std::size_t count = 0;
  while (link.hold(each)) count += each;
  return count;
}

TEST(UdpWaiting, a_link_has_a_bound_and_what_it_gives_back_it_may_have_again) {
  World world;
  EXPECT_EQ(take_look_ups(world.one), UdpWaiting::kLookUpsOfLink);
  world.one.end_look_up();
  EXPECT_EQ(take_look_ups(world.one), 1u);
  EXPECT_EQ(take_bytes(world.one, 1'024), UdpWaiting::kBytesOfLink);
  EXPECT_EQ(world.budget.used(), UdpWaiting::kBytesOfLink);
  world.one.release(1'024);
  EXPECT_EQ(world.budget.used(), UdpWaiting::kBytesOfLink - 1'024);
  EXPECT_EQ(take_bytes(world.one, 1'024), 1'024u);
}

TEST(UdpWaiting, many_greedy_links_leave_something_to_one_that_comes_late) {
  World world;
  std::list<UdpWaiting> greedy;
  for (int i = 0; i < 100; ++i) {
    greedy.emplace_back(world.all, world.budget);
    take_look_ups(greedy.back());
    take_bytes(greedy.back(), 1'024);
  }
  EXPECT_LE(world.all.look_ups, UdpWaiting::kLookUpsOfAll);
  EXPECT_LE(world.all.bytes, UdpWaiting::kBytesOfAll);
  EXPECT_EQ(world.budget.used(), world.all.bytes);
  // After one of the greedy has had an answer.
  greedy.front().end_look_up();
  greedy.front().release(1'024);
  EXPECT_EQ(take_look_ups(world.one), 1u);
  EXPECT_EQ(take_bytes(world.one, 1'024), 1'024u);
}

}  // namespace
}  // namespace karst::driver
