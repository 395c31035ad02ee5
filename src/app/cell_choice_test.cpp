#include "app/cell_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "lab/comparison.h"
#include "lab/gate.h"

namespace karst::app {
namespace {

std::ptrdiff_t count(const CellChoice& choice) {
  return std::ranges::count_if(lab::full_cells(),
                               [&](const lab::Cell& cell) { return choice.takes(cell); });
}

TEST(CellChoice, an_axis_without_values_takes_all_of_them) {
  EXPECT_FALSE(CellChoice{}.any());
  EXPECT_EQ(count({}), 108);
  EXPECT_EQ(count({.rtt = {"60"}}), 36);
  EXPECT_EQ(count({.rtt = {"60", "210"}, .rate = {"100"}, .loss = {"0"}}), 12);
  EXPECT_EQ(count({.rate = {"100"}, .traffic = {"down"}, .streams = {"1"}}), 9);
}

TEST(CellChoice, a_value_that_no_cell_has_takes_none) {
  const CellChoice choice{.loss = {"2"}};
  EXPECT_TRUE(choice.any());
  EXPECT_EQ(count(choice), 0);
}

}  // namespace
}  // namespace karst::app
