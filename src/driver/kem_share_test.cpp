#include "driver/kem_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "driver/ports_for_test.h"

namespace karst::driver {
namespace {

using namespace std::chrono_literals;

// A link with offers that wait: does what it may.
struct Busy {
  Busy(FakePorts& of, KemShare& share, std::vector<Busy*>& in_order)
      : ports(of), order(in_order), seat(share, [this] { woken = true; }) {}
  void flush() {
    woken = false;
    for (; wanted > 0 && seat.enter(ports.now()); --wanted) {
      seat.started();
      ports.work(200us);
      seat.finished();
      ++done;
      order.push_back(this);
    }
  }
  FakePorts& ports;
  std::vector<Busy*>& order;
  int wanted = 1'000'000;
  int done = 0;
  bool woken = false;
  KemShare::Seat seat;
};

struct Loop {
  // Turns until `end`, or until nothing is to be done.
  void run(TimePoint end) {
    while (ports.now() < end && ports.step()) {
      for (Busy* link : links) {
        if (link->woken) link->flush();
      }
    }
  }
  FakePorts ports;
  KemShare share{ports};
  std::vector<Busy*> order;
  std::vector<Busy*> links;
};

TEST(KemShare, links_that_compete_are_served_in_turn_and_take_half_of_the_time) {
  Loop loop;
  Busy one(loop.ports, loop.share, loop.order), two(loop.ports, loop.share, loop.order);
  loop.links = {&one, &two};
  const TimePoint start = loop.ports.now();
  for (Busy* link : loop.links) link->flush();
  loop.run(start + 1s);
  EXPECT_NEAR((one.done + two.done) * 200e-6, 0.5, 0.01);
  // What was saved up before the second came is all that one may do at a stretch.
  EXPECT_NEAR(one.done, two.done, 12);
  for (std::size_t i = 14; i < loop.order.size(); ++i) {
    ASSERT_NE(loop.order[i], loop.order[i - 1]) << i;
  }
}

TEST(KemShare, a_link_that_is_alone_is_not_delayed_beside_idle_ones) {
  Loop loop;
  Busy one(loop.ports, loop.share, loop.order), idle(loop.ports, loop.share, loop.order);
  idle.wanted = 1;
  loop.links = {&one, &idle};
  idle.flush();
  const TimePoint start = loop.ports.now();
  one.flush();
  loop.run(start + 1s);
  EXPECT_GE(one.done * 200e-6, 0.85);
  const int before = one.done;
  loop.run(start + 2s);
  EXPECT_GE((one.done - before) * 200e-6, 0.99);
}

TEST(KemShare, a_link_that_does_not_use_its_turn_keeps_nobody_waiting) {
  Loop loop;
  Busy one(loop.ports, loop.share, loop.order), stuck(loop.ports, loop.share, loop.order);
  loop.links = {&one};
  const TimePoint start = loop.ports.now();
  // Both stand in line; the second link's TCP takes nothing from then on.
  loop.links.front()->flush();
  EXPECT_FALSE(stuck.seat.enter(loop.ports.now()));
  loop.run(start + 1s);
  EXPECT_TRUE(stuck.woken);
  EXPECT_GE(one.done * 200e-6, 0.9);
}

TEST(KemShare, a_link_that_has_gone_is_not_woken) {
  Loop loop;
  Busy one(loop.ports, loop.share, loop.order);
  {
    Busy gone(loop.ports, loop.share, loop.order);
    gone.flush();
    one.wanted = 1;
    one.flush();
  }
  loop.links = {&one};
  loop.run(loop.ports.now() + 1s);
  EXPECT_EQ(one.done, 1);
}

}  // namespace
}  // namespace karst::driver
