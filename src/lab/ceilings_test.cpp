#include "lab/ceilings.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace karst::lab {
namespace {

CeilingResult found(double model, double mbit, const std::string& limiter, double share = 0.9) {
  CeilingResult result{.ceiling = {.name = "x", .model_mbit = model, .limiters = {"ratchet"}},
                       .mbit = mbit,
                       .path_mbit = 960,
                       .limiter = {limiter, share}};
  judge(result);
  return result;
}

TEST(Ceilings, a_limit_that_binds_gives_its_rate_to_fifteen_percent) {
  EXPECT_TRUE(found(280, 240, "ratchet").rate_ok);
  EXPECT_TRUE(found(280, 320, "ratchet").rate_ok);
  EXPECT_FALSE(found(280, 230, "ratchet").rate_ok);
  EXPECT_FALSE(found(280, 330, "ratchet").rate_ok);
}

TEST(Ceilings, a_limit_that_binds_is_named_with_at_least_half_of_the_time) {
  EXPECT_TRUE(found(280, 270, "ratchet", 0.5).named_ok);
  EXPECT_FALSE(found(280, 270, "ratchet", 0.49).named_ok);
  EXPECT_FALSE(found(280, 270, "receive window").named_ok);
}

TEST(Ceilings, a_limit_above_the_path_may_cost_a_quarter_of_it_and_may_be_named) {
  EXPECT_FALSE(found(1118, 954, "ratchet").binds());
  EXPECT_TRUE(found(1118, 730, "ratchet").rate_ok);
  EXPECT_FALSE(found(1118, 710, "ratchet").rate_ok);
  EXPECT_TRUE(found(1118, 730, "ratchet").named_ok);
  EXPECT_TRUE(found(1118, 730, "congestion window").named_ok);
}

TEST(Ceilings, where_none_is_planted_the_path_is_filled_and_no_plantable_limit_is_named) {
  EXPECT_TRUE(found(0, 865, "congestion window").rate_ok);
  EXPECT_FALSE(found(0, 860, "congestion window").rate_ok);
  EXPECT_TRUE(found(0, 950, "cpu").named_ok);
  EXPECT_FALSE(found(0, 950, "ratchet").named_ok);
  EXPECT_FALSE(found(0, 950, "h2 stream credit").named_ok);
}

TEST(Ceilings, each_kind_is_planted_upwards_too) {
  const auto all = all_ceilings();
  EXPECT_EQ(std::ranges::count(all, Traffic::up, &Ceiling::traffic), 3);
}

}  // namespace
}  // namespace karst::lab
