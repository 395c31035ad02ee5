#include "driver/udp_waiting.h"

#include <gtest/gtest.h>

#include <list>

namespace karst::driver {
namespace {

struct World {
  std::size_t all = 0;
  MemoryBudget budget{1ull << 30};
  UdpWaiting one{all, budget};
};

std::size_t take(UdpWaiting& link, std::size_t each) {
  std::size_t count = 0;
  while (link.hold(each)) count += each;
  return count;
}

TEST(UdpWaiting, a_link_has_a_bound_and_what_it_gives_back_it_may_have_again) {
  World world;
  EXPECT_EQ(take(world.one, 1'024), UdpWaiting::kOfLink);
  EXPECT_EQ(world.budget.used(), UdpWaiting::kOfLink);
  world.one.release(1'024);
  EXPECT_EQ(world.budget.used(), UdpWaiting::kOfLink - 1'024);
  EXPECT_EQ(take(world.one, 1'024), 1'024u);
}

TEST(UdpWaiting, many_greedy_links_leave_something_to_one_that_comes_late) {
  World world;
  std::list<UdpWaiting> greedy;
  for (int i = 0; i < 100; ++i) take(greedy.emplace_back(world.all, world.budget), 1'024);
  EXPECT_LE(world.all, UdpWaiting::kOfAll);
  EXPECT_EQ(world.budget.used(), world.all);
  // After one of the greedy has had an answer.
  greedy.front().release(1'024);
  EXPECT_EQ(take(world.one, 1'024), 1'024u);
}

}  // namespace
}  // namespace karst::driver
