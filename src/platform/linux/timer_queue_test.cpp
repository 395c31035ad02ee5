#include "platform/linux/timer_queue.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/prng.h"

namespace karst::platform {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1000h};

TEST(TimerQueue, fires_the_earliest_first_and_equal_times_in_the_order_of_arming) {
  TimerQueue queue(kStart);
  std::string order;
  auto a = queue.make([&] { order += 'a'; });
  auto b = queue.make([&] { order += 'b'; });
  auto c = queue.make([&] { order += 'c'; });
  b->arm(kStart + 2s);
  a->arm(kStart + 1s);
  c->arm(kStart + 2s);
  EXPECT_EQ(queue.next(), kStart + 1s);
  queue.fire(kStart + 2s);
  EXPECT_EQ(order, "abc");
  EXPECT_EQ(queue.next(), std::nullopt);
}

TEST(TimerQueue, a_time_is_due_at_its_moment_and_not_a_nanosecond_earlier) {
  TimerQueue queue(kStart);
  int fired = 0;
  auto timer = queue.make([&] { ++fired; });
  timer->arm(kStart + 1s);
  queue.fire(kStart + 1s - 1ns);
  EXPECT_EQ(fired, 0);
  queue.fire(kStart + 1s);
  EXPECT_EQ(fired, 1);
  queue.fire(kStart + 2s);
  EXPECT_EQ(fired, 1) << "a timer is one-shot";
}

TEST(TimerQueue, arming_again_replaces_and_disarming_removes) {
  TimerQueue queue(kStart);
  std::string order;
  auto moved = queue.make([&] { order += 'm'; });
  auto gone = queue.make([&] { order += 'g'; });
  auto destroyed = queue.make([&] { order += 'd'; });
  moved->arm(kStart + 1s);
  gone->arm(kStart + 1s);
  destroyed->arm(kStart + 1s);
  moved->arm(kStart + 3s);
  gone->disarm();
  destroyed.reset();
  queue.fire(kStart + 2s);
  EXPECT_EQ(order, "");
  queue.fire(kStart + 3s);
  EXPECT_EQ(order, "m");
}

TEST(TimerQueue, a_timer_armed_by_a_callback_waits_for_the_next_call_however_early) {
  TimerQueue queue(kStart);
  int fired = 0;
  std::unique_ptr<driver::Timer> timer;
  timer = queue.make([&] {
    ++fired;
    timer->arm(kStart - 1h);
  });
  timer->arm(kStart);
  queue.fire(kStart);
  EXPECT_EQ(fired, 1);
  queue.fire(kStart);
  EXPECT_EQ(fired, 2);
}

TEST(TimerQueue, a_timer_that_rearms_itself_for_the_past_does_not_starve_the_others) {
  TimerQueue queue(kStart);
  bool other = false;
  std::unique_ptr<driver::Timer> greedy;
  greedy = queue.make([&] { greedy->arm(kStart - 1h); });
  auto patient = queue.make([&] { other = true; });
  greedy->arm(kStart);
  patient->arm(kStart + 1s);
  queue.fire(kStart);
  queue.fire(kStart + 1s);
  EXPECT_TRUE(other);
}

TEST(TimerQueue, a_callback_may_destroy_its_own_timer_and_any_other) {
  TimerQueue queue(kStart);
  int fired = 0;
  std::unique_ptr<driver::Timer> own, other;
  const std::string captured(100, 'x');
  own = queue.make([&, captured] {
    ++fired;
    own.reset();
    other.reset();
    EXPECT_EQ(captured.size(), 100u) << "what the callback holds outlives its timer";
  });
  other = queue.make([&] { ++fired; });
  own->arm(kStart);
  other->arm(kStart);
  queue.fire(kStart);
  EXPECT_EQ(fired, 1);
}

TEST(TimerQueue, ten_thousand_timers_fire_as_a_sorted_list_would) {
  TimerQueue queue(kStart);
  Prng prng(7);
  std::multimap<TimePoint, int> model;
  std::vector<std::unique_ptr<driver::Timer>> timers;
  std::vector<std::multimap<TimePoint, int>::iterator> places(10'000, model.end());
  std::vector<int> fired;
  for (int i = 0; i < 10'000; ++i) {
    timers.push_back(queue.make([&fired, i] { fired.push_back(i); }));
  }
  // Equal times keep the order of arming in a multimap too.
  for (int step = 0; step < 50'000; ++step) {
    const auto i = static_cast<std::size_t>(prng.below(10'000));
    if (places[i] != model.end()) model.erase(places[i]);
    if (prng.chance(1, 4)) {
      timers[i]->disarm();
      places[i] = model.end();
    } else {
      const TimePoint at = kStart + Duration(prng.below(5000));
      timers[i]->arm(at);
      places[i] = model.emplace(at, static_cast<int>(i));
    }
    ASSERT_EQ(queue.next(), model.empty() ? std::nullopt : std::optional(model.begin()->first));
  }
  std::vector<int> expected;
  for (const auto& entry : model) expected.push_back(entry.second);
  for (Duration at{}; at <= 5us; at += 100ns) queue.fire(kStart + at);
  EXPECT_GT(expected.size(), 5000u);
  EXPECT_EQ(fired, expected);
}

}  // namespace
}  // namespace karst::platform
