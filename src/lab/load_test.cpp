#include "lab/load.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

// A stream of which a byte arrived in each of the first `tenths` tenths of a second.
StreamResult stream_of(std::size_t tenths, StreamResult::End end = StreamResult::End::lasted) {
  return {.up = false,
          .bytes = tenths,
          .first_byte = {},
          .bytes_per_tenth = std::vector<std::uint64_t>(tenths, 1),
          .end = end};
}

TEST(JudgeStreams, ones_that_lasted_are_right) {
  EXPECT_TRUE(judge_streams({stream_of(80), stream_of(41)}, 8s).ok());
}

TEST(JudgeStreams, one_that_looks_complete_before_the_end_is_not) {
  const auto judged = judge_streams({stream_of(80), stream_of(60, StreamResult::End::orderly)}, 8s);
  ASSERT_FALSE(judged.ok());
  EXPECT_TRUE(judged.error().is(kEndedEarly));
}

TEST(JudgeStreams, one_without_a_byte_in_the_second_half_has_stalled) {
  const auto judged = judge_streams({stream_of(80), stream_of(40)}, 8s);
  ASSERT_FALSE(judged.ok());
  EXPECT_TRUE(judged.error().is(kStalled));
}

}  // namespace
}  // namespace karst::lab
