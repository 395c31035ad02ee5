#include "lab/link_options.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

TEST(LinkOptions, half_of_the_round_trip_is_each_way) {
  const auto settings = parse_link({.rtt = "210", .rate = "1000:20", .loss = "0.1"});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->forward.delay, 105ms);
  EXPECT_EQ(settings->back.delay, 105ms);
  EXPECT_EQ(settings->forward.rate, 1'000'000'000u);
  EXPECT_EQ(settings->back.rate, 20'000'000u);
  EXPECT_EQ(settings->forward.loss.parts_per_billion, 1'000'000u);
}

TEST(LinkOptions, a_queue_holds_what_the_rate_carries_in_a_round_trip) {
  const auto settings = parse_link({.rtt = "100", .rate = "1000:1"});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->forward.queue_bytes, 12'500'000u);
  EXPECT_EQ(settings->back.queue_bytes, 65'536u);
  const auto asked = parse_link({.rate = "100", .queue = "20ms:300KB"});
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->forward.queue_bytes, 250'000u);
  EXPECT_EQ(asked->back.queue_bytes, 300'000u);
}

TEST(LinkOptions, bursts_lose_the_share_that_was_asked_for) {
  const auto settings = parse_link({.bursts = "2,8"});
  ASSERT_TRUE(settings);
  const BurstLoss& bursts = *settings->forward.bursts;
  const double enter = bursts.enter.parts_per_billion;
  const double leave = bursts.leave.parts_per_billion;
  EXPECT_NEAR(enter / (enter + leave), 0.02, 1e-6);
  EXPECT_NEAR(leave / kCertain, 1.0 / 8, 1e-6);
}

TEST(LinkOptions, events_are_in_order_of_time) {
  const auto settings = parse_link({.outages = {"10:3"}, .rebinds = {"11"}});
  ASSERT_TRUE(settings);
  ASSERT_EQ(settings->events.size(), 3u);
  EXPECT_EQ(settings->events[0].at, 10s);
  EXPECT_EQ(settings->events[1].kind, LinkEvent::Kind::rebind);
  EXPECT_EQ(settings->events[2].at, 13s);
}

TEST(LinkOptions, what_makes_no_sense_is_named) {
  const auto problem = [](const LinkOptions& options) {
    const auto settings = parse_link(options);
    return settings ? std::string() : settings.error();
  };
  EXPECT_EQ(problem({.rtt = "-1"}), "--rtt \"-1\" is not milliseconds, 0 to 10000");
  EXPECT_EQ(problem({.loss = "101"}), "--loss \"101\" is not a percentage");
  EXPECT_EQ(problem({.rate = "fast"}),
            "--rate \"fast\" is not Mbit/s, 0 to 100000, 0 for no limit");
  EXPECT_EQ(problem({.queue = "7"}), "--queue \"7\" is not such as 200ms, 500KB or 2MB");
  EXPECT_EQ(problem({.outages = {"3"}}),
            "--outage \"3\" is not AT:LENGTH in seconds, such as 10:3");
}

}  // namespace
}  // namespace karst::lab
