#include "app/human_text.h"

#include <gtest/gtest.h>

using namespace karst::app;

namespace {

TEST(HumanText, rates_have_three_figures_at_most_and_the_largest_unit_that_fits) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 bit/s"},        {9.4, "9 bit/s"},      {999, "999 bit/s"},     {1000, "1.0 kbit/s"},
      {9'940, "9.9 kbit/s"}, {10'000, "10 kbit/s"}, {1.25e6, "1.2 Mbit/s"}, {999.4e6, "999 Mbit/s"},
      {1e9, "1.0 Gbit/s"},   {25e9, "25 Gbit/s"},   {4e12, "4000 Gbit/s"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(human_rate(value), text);
}

TEST(HumanText, bytes_count_in_powers_of_1024) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 B"},         {1023, "1023 B"},     {1024, "1.0 KiB"},
      {15'360, "15 KiB"}, {262'144, "256 KiB"}, {1 << 20, "1.0 MiB"},
      {3e9, "2.8 GiB"},   {2e12, "1.8 TiB"},    {5e15, "4547 TiB"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(human_bytes(value), text);
}

TEST(HumanText, times_have_two_units_at_most) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 s"},
      {59.9, "59 s"},
      {60, "1 min 0 s"},
      {3599, "59 min 59 s"},
      {3600, "1 h 0 min"},
      {86'399, "23 h 59 min"},
      {86'400, "1 d 0 h"},
      {62'899'200, "728 d 0 h"},
      {63'072'000, "2 years"},
      {315'360'000, "10 years"},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(human_time(value), text);
}

TEST(HumanText, one_is_singular) {
  EXPECT_EQ(counted(0, "client"), "0 clients");
  EXPECT_EQ(counted(1, "client"), "1 client");
  EXPECT_EQ(counted(2, "client"), "2 clients");
}

TEST(HumanText, a_long_line_is_broken_between_words_and_goes_on_at_the_margin) {
  using Rows = std::vector<std::string>;
  EXPECT_EQ(wrapped("  to do  ask for it", 9, 40), (Rows{"  to do  ask for it"}));
  EXPECT_EQ(wrapped("  to do  one two three", 9, 16), (Rows{"  to do  one two", "         three"}));
  EXPECT_EQ(wrapped("  to do  a longword", 9, 12), (Rows{"  to do  a", "         lon"}));
  EXPECT_EQ(wrapped("", 9, 12), (Rows{""}));
  EXPECT_EQ(wrapped("abc", 9, 0), (Rows{""}));
}

TEST(HumanText, a_clock_that_is_off_by_no_more_than_90_seconds_is_right) {
  for (const std::int64_t offset : {-90, 0, 90}) EXPECT_EQ(human_clock_offset(offset), "");
  EXPECT_EQ(human_clock_offset(91), "this machine is 1 min 31 s ahead of the server; one is wrong");
}

}  // namespace
