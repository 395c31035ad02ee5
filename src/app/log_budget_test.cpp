#include "app/log_budget.h"

#include <gtest/gtest.h>

using namespace karst;
using namespace karst::app;
using namespace std::chrono_literals;

namespace {

constexpr TimePoint kStart{1000s};

TEST(LogBudget, the_first_twenty_lines_of_a_window_are_written_and_no_more) {
  LogBudget budget;
  for (int i = 1; i <= 25; ++i) {
    EXPECT_EQ(budget.ask("client-refused", kStart + i * 100ms).write, i <= 20) << i;
  }
}

TEST(LogBudget, a_new_window_begins_ten_seconds_after_the_first_line_and_tells_what_was_left_out) {
  LogBudget budget;
  for (int i = 0; i < 25; ++i) budget.ask("client-refused", kStart);
  EXPECT_FALSE(budget.ask("client-refused", kStart + 10s - 1ns).write);
  const auto verdict = budget.ask("client-refused", kStart + 10s);
  EXPECT_TRUE(verdict.write);
  EXPECT_EQ(verdict.left_out, 6);
  EXPECT_EQ(budget.ask("client-refused", kStart + 20s).left_out, 0);
}

TEST(LogBudget, one_kind_does_not_use_up_the_budget_of_another) {
  LogBudget budget;
  for (int i = 0; i < 100; ++i) budget.ask("client-refused", kStart);
  EXPECT_TRUE(budget.ask("link-up", kStart).write);
}

}  // namespace
