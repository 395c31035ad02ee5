#include "app/repeat_filter.h"

#include <gtest/gtest.h>

#include "driver/client_node.h"
#include "driver/server_node.h"

using namespace karst;
using app::RepeatFilter;

namespace {

class RepeatFilterTest : public ::testing::Test {
 protected:
  bool connecting() { return filter.admits(driver::kTraceConnecting, {}, now); }
  bool up() { return filter.admits(driver::kTraceLinkUp, {}, now); }
  bool down(std::string_view error, std::int64_t retry_ms) {
    const TraceField fields[] = {{"error", error}, {"retry_ms", retry_ms}};
    return filter.admits(driver::kTraceLinkDown, fields, now);
  }
  bool too_many_of(std::string_view address) {
    const TraceField fields[] = {{"address", address}};
    return filter.admits(driver::kTraceTooManyOfSource, fields, now);
  }

  RepeatFilter filter{RepeatFilter::Reader::person};
  TimePoint now{std::chrono::hours(1)};
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

TEST_F(RepeatFilterTest, a_log_file_gets_every_attempt) {
  RepeatFilter file{RepeatFilter::Reader::file};
  const TraceField fields[] = {{"error", "timed-out"}};
  EXPECT_TRUE(file.admits(driver::kTraceLinkDown, fields, now));
  EXPECT_TRUE(file.admits(driver::kTraceLinkDown, fields, now));
  EXPECT_TRUE(file.admits(driver::kTraceConnecting, {}, now));
}

TEST_F(RepeatFilterTest, an_address_with_too_many_connections_is_named_once_a_minute) {
  EXPECT_TRUE(too_many_of("192.0.2.1"));
  EXPECT_FALSE(too_many_of("192.0.2.1"));
  EXPECT_TRUE(too_many_of("192.0.2.2")) << "another address is news";
  EXPECT_FALSE(too_many_of("192.0.2.1"));
  now += RepeatFilter::kSourceTime - Duration(1);
  EXPECT_FALSE(too_many_of("192.0.2.1"));
  now += Duration(1);
  EXPECT_TRUE(too_many_of("192.0.2.1"));
  EXPECT_FALSE(too_many_of("192.0.2.1"));
}

TEST_F(RepeatFilterTest, of_more_addresses_than_it_remembers_every_line_is_shown) {
  for (std::size_t i = 0; i < RepeatFilter::kSourcesMax; ++i) too_many_of(std::to_string(i));
  EXPECT_TRUE(too_many_of("one more"));
  EXPECT_TRUE(too_many_of("one more"));
  EXPECT_FALSE(too_many_of("0"));
  now += RepeatFilter::kSourceTime;
  EXPECT_TRUE(too_many_of("one more"));
  EXPECT_FALSE(too_many_of("one more")) << "there is room for it again";
}

TEST_F(RepeatFilterTest, everything_else_is_shown_however_often_it_comes) {
  constexpr TraceKind kOther{TraceLevel::info, "other", "something"};
  EXPECT_TRUE(filter.admits(kOther, {}, now));
  EXPECT_TRUE(filter.admits(kOther, {}, now));
}

}  // namespace
