#include "app/repeat_filter.h"

#include <gtest/gtest.h>

#include "driver/client_node.h"

using namespace karst;
using app::RepeatFilter;

namespace {

class RepeatFilterTest : public ::testing::Test {
 protected:
  bool connecting() { return filter.admits(driver::kTraceConnecting, {}); }
  bool up() { return filter.admits(driver::kTraceLinkUp, {}); }
  bool down(std::string_view error, std::int64_t retry_ms) {
    const TraceField fields[] = {{"error", error}, {"retry_ms", retry_ms}};
    return filter.admits(driver::kTraceLinkDown, fields);
  }

  RepeatFilter filter;
};

TEST_F(RepeatFilterTest, attempts_that_fail_alike_are_shown_once) {
  EXPECT_TRUE(connecting());
  EXPECT_TRUE(down("cannot-connect", 100));
  EXPECT_FALSE(connecting());
  EXPECT_FALSE(down("cannot-connect", 200));
  EXPECT_TRUE(down("pin-mismatch", 300));
  EXPECT_FALSE(down("pin-mismatch", 400));
}

TEST_F(RepeatFilterTest, a_tunnel_that_was_up_makes_the_next_failure_news) {
  down("timed-out", 100);
  EXPECT_TRUE(up());
  EXPECT_TRUE(down("timed-out", 100));
  EXPECT_TRUE(up());
  EXPECT_TRUE(connecting());
}

TEST_F(RepeatFilterTest, everything_else_is_shown_however_often_it_comes) {
  constexpr TraceKind kOther{TraceLevel::info, "other", "something"};
  EXPECT_TRUE(filter.admits(kOther, {}));
  EXPECT_TRUE(filter.admits(kOther, {}));
}

}  // namespace
