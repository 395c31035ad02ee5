#include "lab/limiter.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

TEST(Limiter, is_the_largest_share_but_the_application) {
  const Limiter found = limiter_in(
      R"({"links": [{"limiter": {"recent": {"application": 0.5, "ratchet": 0.1, "cpu": 0.4}}}]})");
  EXPECT_EQ(found.name, "cpu");
  EXPECT_NEAR(found.share, 0.4, 1e-9);
}

TEST(Limiter, is_unnamed_without_a_link_and_without_a_status) {
  EXPECT_EQ(limiter_in(R"({"links": []})").name, "");
  EXPECT_EQ(limiter_in("").name, "");
  EXPECT_EQ(
      limiter_in(R"({"links": [{"limiter": {"recent": {"application": 1.0, "cpu": 0.0}}}]})").name,
      "");
}

TEST(DeadlineExpired, is_read_from_any_link_of_an_end) {
  EXPECT_FALSE(deadline_expired_in(R"({"links":[{"send":{"deadline_expiries":0}}]})"));
  EXPECT_TRUE(deadline_expired_in(
      R"({"links":[{"send":{"deadline_expiries":0}},{"send":{"deadline_expiries":1}}]})"));
  EXPECT_FALSE(deadline_expired_in(""));
  EXPECT_FALSE(deadline_expired_in(R"({"links":[]})"));
}

TEST(Limiter, a_status_that_lacks_fields_or_has_others_says_nothing) {
  for (const char* status :
       {"[1]", "7", R"({"links": {}})", R"({"links": 3})", R"({"links": [{}]})",
        R"({"links": [1]})", R"({"links": [{"limiter": {}, "send": 1}]})",
        R"({"links": [{"limiter": {"recent": 1}}]})",
        R"({"links": [{"limiter": {"recent": {"cpu": "much"}},
                       "send": {"deadline_expiries": "two"}}]})"}) {
    EXPECT_EQ(limiter_in(status).name, "") << status;
    EXPECT_FALSE(deadline_expired_in(status)) << status;
  }
}

}  // namespace
}  // namespace karst::lab
