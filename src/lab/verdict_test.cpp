#include "lab/verdict.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

TEST(Verdict, the_median_of_an_even_number_is_between) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({1, 9, 2, 4}), 3);
}

TEST(Verdict, spread_is_relative_to_the_median) {
  EXPECT_EQ(spread({}), 0);
  EXPECT_NEAR(spread({90, 100, 120}), 0.3, 1e-9);
}

TEST(Verdict, a_median_at_the_threshold_passes) {
  EXPECT_EQ(judge({0.90, 0.97, 0.99}, 0.97), Verdict::pass);
}

TEST(Verdict, runs_that_could_have_been_above_are_inconclusive) {
  EXPECT_EQ(judge({0.90, 0.96, 1.05}, 0.97), Verdict::inconclusive);
}

TEST(Verdict, runs_that_are_all_below_fail) {
  EXPECT_EQ(judge({0.90, 0.91, 0.92}, 0.97), Verdict::fail);
}

TEST(Verdict, one_lucky_run_of_nine_does_not_save_a_cell) {
  EXPECT_EQ(judge({0.8, 0.8, 0.81, 0.82, 0.82, 0.83, 0.83, 0.84, 1.2}, 0.95), Verdict::fail);
}

TEST(Verdict, the_geometric_mean_weighs_ratios) { EXPECT_NEAR(geometric_mean({0.5, 2}), 1, 1e-9); }

TEST(Verdict, thresholds_depend_on_loss_and_on_traffic) {
  EXPECT_EQ(stream_threshold({.loss = "0", .traffic = Traffic::down}), 0.97);
  EXPECT_EQ(stream_threshold({.loss = "0.1", .traffic = Traffic::both}), 0.96);
  EXPECT_EQ(stream_threshold({.loss = "1", .traffic = Traffic::up}), 0.95);
}

}  // namespace
}  // namespace karst::lab
