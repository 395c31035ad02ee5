#include "lab/interruption.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

StreamResult stream(bool up, std::vector<std::uint64_t> tenths) {
  return {.up = up, .bytes = 0, .first_byte = {}, .bytes_per_tenth = std::move(tenths), .end = {}};
}

TEST(Interruption, a_gap_ends_with_the_first_bytes_of_any_stream_of_that_direction) {
  const std::vector<StreamResult> streams{stream(true, {1, 1, 0, 0}),
                                          stream(true, {0, 0, 0, 0, 0, 1, 1, 1}),
                                          stream(false, {1, 1, 1, 1, 1, 1, 1, 1})};
  EXPECT_EQ(end_of_gap(streams, true, 100ms, 800ms), 500ms);
  EXPECT_EQ(end_of_gap(streams, false, 100ms, 800ms), 100ms);
}

TEST(Interruption, of_two_gaps_the_longer_one_counts) {
  EXPECT_EQ(end_of_gap({stream(true, {1, 0, 1, 0, 0, 0, 1, 0, 1})}, true, 0ms, 900ms), 600ms);
}

TEST(Interruption, a_gap_without_end_is_none) {
  EXPECT_EQ(end_of_gap({stream(true, {1, 1, 0, 1})}, true, 0ms, 900ms), std::nullopt);
  EXPECT_EQ(end_of_gap({}, true, 0ms, 900ms), std::nullopt);
}

// One that passes: the link was lost in an outage of 10 s, and came back soon.
InterruptionResult good() {
  return {.what = {.kind = Interruption::Kind::outage, .length = 10s},
          .link_survived = false,
          .link_again = 1s,
          .up_again = 2s,
          .down_again = 2s,
          .streams_ended = 2};
}

std::size_t problems(InterruptionResult result) {
  judge(result);
  return result.problems.size();
}

TEST(Interruption, a_new_link_within_two_seconds_passes) {
  auto result = good();
  EXPECT_EQ(problems(result), 0u);
  result.link_again = kReconnectMax;
  EXPECT_EQ(problems(result), 0u);
  result.link_again = kReconnectMax + 1ms;
  EXPECT_EQ(problems(result), 1u);
  result.link_again.reset();
  EXPECT_EQ(problems(result), 1u);
}

TEST(Interruption, a_link_has_to_outlive_a_short_outage_with_its_streams) {
  auto result = good();
  result.what.length = kOutageSurvived;
  EXPECT_EQ(problems(result), 1u);
  result.link_survived = true;
  EXPECT_EQ(problems(result), 1u) << "its streams ended";
  result.streams_ended = 0;
  EXPECT_EQ(problems(result), 0u);
}

TEST(Interruption, a_stream_that_was_cut_may_not_look_complete) {
  auto result = good();
  result.streams_ended_orderly = 1;
  EXPECT_EQ(problems(result), 1u);
}

TEST(Interruption, traffic_has_to_flow_again_both_ways) {
  auto result = good();
  result.down_again.reset();
  EXPECT_EQ(problems(result), 1u);
}

TEST(Interruption, traffic_over_a_new_link_has_to_flow_within_four_seconds) {
  auto result = good();
  result.up_again = 4s;
  EXPECT_EQ(problems(result), 0u);
  result.up_again = 4100ms;
  EXPECT_EQ(problems(result), 1u);
}

TEST(Interruption,
     traffic_over_a_surviving_link_is_silent_for_as_long_as_the_outage_and_two_seconds) {
  auto result = good();
  result.what.length = 1s;
  result.link_survived = true;
  result.streams_ended = 0;
  result.down_again = 3s;
  EXPECT_EQ(problems(result), 0u);
  result.down_again = 3100ms;
  EXPECT_EQ(problems(result), 1u);
}

TEST(Interruption, a_rebound_nat_may_end_the_link) {
  auto result = good();
  result.what = {.kind = Interruption::Kind::rebound, .length = {}};
  EXPECT_EQ(problems(result), 0u);
}

}  // namespace
}  // namespace karst::lab
