#include "app/lifetime.h"

#include <gtest/gtest.h>

#include <string>

using namespace karst::app;

namespace {

TEST(Lifetime, seconds_minutes_hours_and_days_are_understood) {
  EXPECT_EQ(parse_lifetime("90s"), 90);
  EXPECT_EQ(parse_lifetime("30m"), 1'800);
  EXPECT_EQ(parse_lifetime("12h"), 43'200);
  EXPECT_EQ(parse_lifetime("7d"), 604'800);
}

TEST(Lifetime, one_second_to_ten_years_is_accepted_in_every_unit) {
  const std::pair<char, std::int64_t> units[] = {{'s', 1}, {'m', 60}, {'h', 3'600}, {'d', 86'400}};
  for (const auto& [letter, unit] : units) {
    const std::int64_t most = 3650ll * 86'400 / unit;
    EXPECT_EQ(parse_lifetime(std::string("0") + letter), std::nullopt);
    EXPECT_EQ(parse_lifetime(std::string("1") + letter), unit);
    EXPECT_EQ(parse_lifetime(std::to_string(most - 1) + letter), (most - 1) * unit);
    EXPECT_EQ(parse_lifetime(std::to_string(most) + letter), most * unit);
    EXPECT_EQ(parse_lifetime(std::to_string(most + 1) + letter), std::nullopt);
    EXPECT_EQ(parse_lifetime("9223372036854775807" + std::string(1, letter)), std::nullopt);
    EXPECT_EQ(parse_lifetime("9223372036854775808" + std::string(1, letter)), std::nullopt);
  }
}

TEST(Lifetime, anything_else_is_none) {
  for (const char* text :
       {"", "d", "7", "7 d", " 7d", "7d ", "-7d", "+7d", "7D", "7dd", "1.5d", "7w", "0x7d"}) {
    EXPECT_EQ(parse_lifetime(text), std::nullopt) << text;
  }
}

}  // namespace
