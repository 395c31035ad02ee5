#include "stream/mux/receive_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{50s};
constexpr std::uint64_t kNoCap = UINT64_MAX;

// A round trip above ReceiveWindow::kRoundMin.
constexpr Duration kRtt = 400ms;

TEST(ReceiveWindow, grows_by_how_fast_a_quarter_of_it_is_taken) {
  struct Row {
    std::uint64_t taken;
    Duration after;
    std::uint64_t size;
  };
  constexpr Row kRows[] = {
      {249, 1ms, 1000},   {250, 0ms, 4000},   {250, 200ms, 4000},
      {250, 201ms, 2000}, {250, 400ms, 2000}, {250, 401ms, 1000},
  };
  for (const Row& row : kRows) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, kRtt);
    const bool grew = window.handle_taken(row.taken, 0, kStart + row.after, kRtt, kNoCap);
    EXPECT_EQ(window.size(), row.size) << row.taken << " after " << row.after.count();
    EXPECT_EQ(grew, row.size > 1000);
  }
}

TEST(ReceiveWindow, a_short_round_trip_counts_as_300_ms) {
  for (const Duration rtt : {Duration(1ms), Duration(299ms), Duration(301ms)}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, rtt);
    EXPECT_EQ(window.handle_taken(250, 0, kStart + 301ms, rtt, kNoCap), rtt == 301ms);
  }
}

TEST(ReceiveWindow, does_not_grow_for_a_reader_that_leaves_more_than_a_quarter_unread) {
  for (const std::uint64_t unread : {250u, 251u}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, kRtt);
    EXPECT_EQ(window.handle_taken(250, unread, kStart, kRtt, kNoCap), unread == 250);
  }
}

TEST(ReceiveWindow, each_measurement_starts_where_the_last_one_ended) {
  ReceiveWindow window(1000);
  window.handle_arrival(0, kStart, kRtt);
  EXPECT_FALSE(window.handle_taken(250, 0, kStart + 600ms, kRtt, kNoCap));
  EXPECT_FALSE(window.handle_taken(499, 0, kStart + 700ms, kRtt, kNoCap));
  EXPECT_TRUE(window.handle_taken(500, 0, kStart + 700ms, kRtt, kNoCap));
}

TEST(ReceiveWindow, a_pause_is_not_held_against_the_reader) {
  ReceiveWindow window(1000);
  window.handle_arrival(0, kStart, kRtt);
  window.handle_taken(100, 0, kStart, kRtt, kNoCap);
  window.handle_arrival(100, kStart + 10s, kRtt);
  EXPECT_FALSE(window.handle_taken(349, 0, kStart + 10s + 1ms, kRtt, kNoCap));
  EXPECT_TRUE(window.handle_taken(350, 0, kStart + 10s + 1ms, kRtt, kNoCap));
}

TEST(ReceiveWindow, nothing_to_read_for_less_than_a_quarter_of_the_round_trip_is_no_pause) {
  for (const Duration pause : {100ms, 101ms}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, kRtt);
    window.handle_taken(150, 0, kStart + 250ms, kRtt, kNoCap);
    window.handle_arrival(150, kStart + 250ms + pause, kRtt);
    EXPECT_EQ(window.handle_taken(250, 0, kStart + 250ms + pause, kRtt, kNoCap), pause == 100ms);
  }
}

TEST(ReceiveWindow, never_grows_above_its_cap_nor_shrinks_by_it) {
  for (const std::uint64_t cap : {999u, 1000u, 1001u, 4000u, 4001u}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, kRtt);
    EXPECT_EQ(window.handle_taken(250, 0, kStart, kRtt, cap), cap > 1000);
    EXPECT_EQ(window.size(), std::clamp<std::uint64_t>(cap, 1000, 4000)) << cap;
  }
}

TEST(ReceiveWindow, shrinks_only_when_told) {
  ReceiveWindow window(1000);
  window.shrink(2000);
  EXPECT_EQ(window.size(), 1000u);
  window.shrink(300);
  EXPECT_EQ(window.size(), 300u);
}

}  // namespace
}  // namespace karst::stream::mux
