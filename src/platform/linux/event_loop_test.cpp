#include "platform/linux/event_loop.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

using EventLoopTest = LoopTest;

TEST_F(EventLoopTest, now_stands_still_within_a_turn_and_moves_between_turns) {
  std::vector<TimePoint> seen;
  auto end = loop.make_end_of_turn([&] { seen.push_back(loop.now()); });
  auto timer = loop.make_timer([&] {
    seen.push_back(loop.now());
    while (monotonic_now() < seen.front() + 1ms) {
    }
    end->request();
  });
  timer->arm(loop.now());
  turn();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(seen[0], seen[1]);
  turn();
  EXPECT_GE(loop.now(), seen[1] + 1ms);
}

// A log that goes to a pipe whose reader has ended.
TEST_F(EventLoopTest, a_write_to_a_pipe_without_a_reader_fails_and_does_not_end_the_process) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  EXPECT_EQ(::write(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  ::close(ends[1]);
}

// Else whoever uses up the descriptors could have what the egress policy refuses.
TEST_F(EventLoopTest, own_addresses_are_not_forgotten_when_they_cannot_be_read) {
  const auto known = loop.own_addresses();
  ASSERT_FALSE(known.empty());
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto later = loop.own_addresses();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(later, known);
}

TEST_F(EventLoopTest, a_timer_fires_at_its_time_and_not_before) {
  TimePoint fired;
  const TimePoint at = monotonic_now() + 20ms;
  auto timer = loop.make_timer([&] { fired = loop.now(); });
  timer->arm(at);
  until([&] { return fired != TimePoint(); });
  EXPECT_GE(fired, at);
  EXPECT_LT(fired, at + 10s);
}

TEST_F(EventLoopTest, an_end_of_turn_task_runs_once_after_the_timers_of_its_turn) {
  std::string order;
  auto end = loop.make_end_of_turn([&] { order += 'e'; });
  auto first = loop.make_timer([&] {
    order += '1';
    end->request();
    end->request();
  });
  auto second = loop.make_timer([&] {
    order += '2';
    end->request();
  });
  first->arm(loop.now());
  second->arm(loop.now());
  turn();
  turn();
  EXPECT_EQ(order, "12e");
}

TEST_F(EventLoopTest, does_not_sleep_while_an_end_of_turn_task_is_requested) {
  int runs = 0;
  std::unique_ptr<driver::EndOfTurn> end;
  end = loop.make_end_of_turn([&] {
    if (++runs < 3) end->request();
  });
  end->request();
  const TimePoint before = monotonic_now();
  while (runs < 3) loop.run_turn(1h);
  EXPECT_LT(monotonic_now() - before, 10s);
}

TEST_F(EventLoopTest, posted_callbacks_of_a_thread_run_here_in_order) {
  std::vector<int> seen;
  const auto here = std::this_thread::get_id();
  std::thread other([&] {
    for (int i = 0; i < 1000; ++i) {
      loop.post([&seen, here, i] {
        EXPECT_EQ(std::this_thread::get_id(), here);
        seen.push_back(i);
      });
    }
    loop.post([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  ASSERT_EQ(seen.size(), 1000u);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
}

TEST_F(EventLoopTest, a_callback_posted_by_a_posted_callback_runs_in_the_next_turn) {
  int turns_seen = 0;
  bool done = false;
  loop.post([&] { loop.post([&] { done = true; }); });
  while (!done) {
    turn();
    ++turns_seen;
  }
  EXPECT_EQ(turns_seen, 2);
}

TEST_F(EventLoopTest, stop_from_another_thread_wakes_a_sleeping_loop) {
  std::thread other([&] { loop.stop(); });
  loop.run();
  other.join();
  const auto turns_before = loop.stats().turns;
  loop.stop();
  loop.run();
  EXPECT_EQ(loop.stats().turns, turns_before) << "it was stopped before it began";
  bool ran = false;
  loop.post([&] {
    ran = true;
    loop.stop();
  });
  loop.run();
  EXPECT_TRUE(ran) << "a stopped loop runs again";
}

TEST(EventLoop, what_a_dropped_posted_callback_owns_may_belong_to_the_loop) {
  bool ran = false;
  auto loop = std::move(*EventLoop::create());
  auto end = loop->make_end_of_turn([&] { ran = true; });
  auto timer = loop->make_timer([&] { ran = true; });
  end->request();
  timer->arm(loop->now());
  loop->post([end = std::move(end), timer = std::move(timer)] {});
  loop.reset();  // would abort if they outlived it
  EXPECT_FALSE(ran);
}

TEST_F(EventLoopTest, counts_work_as_busy_and_sleep_as_idle) {
  turn();
  const LoopStats before = loop.stats();
  auto work = loop.make_timer([&] {
    const TimePoint start = monotonic_now();
    while (monotonic_now() < start + 20ms) {
    }
  });
  work->arm(loop.now() + 30ms);
  const auto turns_wanted = before.turns + 2;
  until([&] { return monotonic_now() >= loop.now() + 20ms || loop.stats().turns >= turns_wanted; });
  turn();
  const LoopStats& after = loop.stats();
  EXPECT_GE(after.busy - before.busy, 20ms);
  EXPECT_GE(after.longest_turn, 20ms);
  EXPECT_GE(after.idle - before.idle, 20ms);
  EXPECT_GT(after.turns, before.turns);
}

}  // namespace
}  // namespace karst::platform
