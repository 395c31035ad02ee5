#include "platform/linux/end_of_turn_queue.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::platform {
namespace {

TEST(EndOfTurnQueue, runs_each_task_once_in_the_order_of_requests) {
  EndOfTurnQueue queue;
  std::string order;
  auto a = queue.make([&] { order += 'a'; });
  auto b = queue.make([&] { order += 'b'; });
  b->request();
  a->request();
  b->request();
  queue.run();
  queue.run();
  EXPECT_EQ(order, "ba");
}

TEST(EndOfTurnQueue, a_task_requested_by_another_still_runs_in_this_turn) {
  EndOfTurnQueue queue;
  std::string order;
  auto lower = queue.make([&] { order += 'l'; });
  auto upper = queue.make([&] {
    order += 'u';
    lower->request();
  });
  upper->request();
  queue.run();
  EXPECT_EQ(order, "ul");
  EXPECT_TRUE(queue.empty());
}

TEST(EndOfTurnQueue, a_task_that_has_run_runs_again_only_in_the_next_turn) {
  EndOfTurnQueue queue;
  std::string order;
  std::unique_ptr<driver::EndOfTurn> a, b;
  a = queue.make([&] {
    order += 'a';
    b->request();
    a->request();
  });
  b = queue.make([&] {
    order += 'b';
    a->request();
  });
  a->request();
  queue.run();
  EXPECT_EQ(order, "ab");
  EXPECT_FALSE(queue.empty());
  queue.run();
  EXPECT_EQ(order, "abab");
}

TEST(EndOfTurnQueue, destroying_a_task_drops_its_request_even_from_inside_it) {
  EndOfTurnQueue queue;
  std::string order;
  std::unique_ptr<driver::EndOfTurn> own, other;
  const std::string captured(100, 'x');
  own = queue.make([&, captured] {
    own.reset();
    other.reset();
    order += captured[99];
  });
  other = queue.make([&] { order += 'o'; });
  own->request();
  other->request();
  queue.run();
  EXPECT_EQ(order, "x");
}

}  // namespace
}  // namespace karst::platform
