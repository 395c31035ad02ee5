#include "lab/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

CellRun run_of(double mbit) {
  CellRun run;
  run.mbit = mbit;
  run.bytes = 500'000'000;
  run.client_cpu = 1s;
  run.server_cpu = 2s;
  run.client_peak_bytes = 20'000'000;
  run.server_peak_bytes = 30'000'000;
  run.first_byte_ms = 120;
  return run;
}

TEST(Comparison, each_round_begins_with_the_next_contestant) {
  EXPECT_THAT(order_of_round(3, 0), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_of_round(3, 1), ElementsAre(1, 2, 0));
  EXPECT_THAT(order_of_round(3, 2), ElementsAre(2, 0, 1));
  EXPECT_THAT(order_of_round(3, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(order_of_round(0, 5), ElementsAre());
}

TEST(Comparison, a_standing_is_the_median_over_its_runs) {
  const Standing standing{.name = "x",
                          .runs = {run_of(80), run_of(100), run_of(90)},
                          .ratios = {0.8, 1.0, 0.9},
                          .failures = {}};
  EXPECT_DOUBLE_EQ(standing.mbit(), 90);
  EXPECT_DOUBLE_EQ(standing.ratio(), 0.9);
  EXPECT_NEAR(standing.spread(), 20.0 / 90, 1e-9);
  EXPECT_DOUBLE_EQ(standing.cpu_s_per_gb(), 6) << "both ends, for half a gigabyte";
  EXPECT_DOUBLE_EQ(standing.first_byte_ms(), 120);
}

TEST(Comparison, a_peer_without_a_run_has_no_result_in_the_table) {
  const CellComparison comparison{
      .cell = {60, 100, "0"},
      .standings = {
          {.name = kBareName, .runs = {run_of(95)}, .ratios = {1}, .failures = {}},
          {.name = "good", .runs = {run_of(90)}, .ratios = {0.947}, .failures = {"once"}},
          {.name = "broken", .runs = {}, .ratios = {}, .failures = {"it fell over", "again"}}}};
  const auto table = table_of(comparison);
  ASSERT_EQ(table.size(), 4u);
  EXPECT_THAT(table[0], HasSubstr("60/100/0 down x1"));
  EXPECT_THAT(table[1], HasSubstr("95.0"));
  EXPECT_THAT(table[2], testing::AllOf(HasSubstr("0.947"), HasSubstr("6.00"), HasSubstr("20 + 30"),
                                       HasSubstr("1 failed")));
  EXPECT_THAT(table[3], testing::AllOf(HasSubstr("no result"), HasSubstr("2 failed")));
}

TEST(Comparison, its_own_cells_are_four_paths_down_and_up) {
  const auto cells = comparison_cells();
  ASSERT_EQ(cells.size(), 8u);
  EXPECT_EQ(cells[0].name(), "60/1000/0 down x1");
  EXPECT_EQ(cells[7].name(), "210/100/1 up x1");
}

}  // namespace
}  // namespace karst::lab
