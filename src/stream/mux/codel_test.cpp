#include "stream/mux/codel.h"

#include <gtest/gtest.h>

#include <vector>

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{9s};
constexpr std::size_t kBacklog = 100'000;

// Asks about one packet a millisecond that has waited `sojourn`; the times at which it drops.
std::vector<Duration> drops(CoDel& codel, Duration sojourn, std::size_t backlog, Duration from,
                            Duration to) {
  std::vector<Duration> out;
  for (Duration at = from; at < to; at += 1ms) {
    if (codel.drop(sojourn, backlog, kStart + at)) out.push_back(at);
  }
  return out;
}

TEST(CoDel, leaves_a_short_wait_alone_for_ever) {
  CoDel codel;
  EXPECT_TRUE(drops(codel, 5ms - 1ns, kBacklog, 0ms, 60s).empty());
}

TEST(CoDel, leaves_a_wait_of_less_than_an_interval_alone) {
  CoDel codel;
  EXPECT_TRUE(drops(codel, 50ms, kBacklog, 0ms, 100ms).empty());
  EXPECT_TRUE(drops(codel, 1ms, kBacklog, 100ms, 101ms).empty());
  EXPECT_TRUE(drops(codel, 50ms, kBacklog, 101ms, 201ms).empty());
}

TEST(CoDel, drops_faster_and_faster_while_the_queue_stands) {
  CoDel codel;
  const auto at = drops(codel, 5ms, kBacklog, 0ms, 500ms);
  // 100 ms, then intervals of 100 ms / sqrt(1), sqrt(2), ... : RFC 8289 section 4.2, by hand.
  const std::vector<Duration> expected = {100ms, 200ms, 271ms, 329ms, 379ms, 424ms, 464ms};
  EXPECT_EQ(at, expected);
}

TEST(CoDel, leaves_the_last_packet_alone) {
  CoDel codel;
  EXPECT_TRUE(drops(codel, 50ms, 1'500, 0ms, 1s).empty());
  EXPECT_FALSE(drops(codel, 50ms, 1'501, 1s, 2s).empty());
}

TEST(CoDel, goes_on_at_its_former_rate_shortly_after_it_stopped) {
  CoDel codel;
  const auto first = drops(codel, 50ms, kBacklog, 0ms, 2s);
  codel.drop(1ms, kBacklog, kStart + 2s);
  const auto again = drops(codel, 50ms, kBacklog, 2001ms, 2300ms);
  ASSERT_GE(again.size(), 3u);
  EXPECT_LT(again[1] - again[0], 30ms);
  codel.drop(1ms, kBacklog, kStart + 3s);
  const auto much_later = drops(codel, 50ms, kBacklog, 100s, 101s);
  EXPECT_EQ(much_later[1] - much_later[0], 100ms);
}

TEST(CoDel, a_long_path_has_a_longer_interval_within_bounds) {
  for (const auto& [rtt, first] :
       {std::pair<Duration, Duration>{10ms, 100ms}, {210ms, 210ms}, {2s, 400ms}}) {
    CoDel codel;
    codel.set_rtt(rtt);
    EXPECT_EQ(drops(codel, 50ms, kBacklog, 0ms, 1s).front(), first);
  }
}

}  // namespace
}  // namespace karst::stream::mux
