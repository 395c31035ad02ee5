#include "stream/mux/receive_window.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{50s};
constexpr std::uint64_t kNoCap = UINT64_MAX;

TEST(ReceiveWindow, grows_by_how_fast_half_of_it_is_taken) {
  struct Row {
    std::uint64_t taken;
    Duration after;
    std::uint64_t size;
  };
  constexpr Row kRows[] = {
      {499, 1ms, 1000},   {500, 0ms, 4000},   {500, 100ms, 4000},
      {500, 101ms, 2000}, {500, 200ms, 2000}, {500, 201ms, 1000},
  };
  for (const Row& row : kRows) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, 100ms);
    const bool grew = window.handle_taken(row.taken, kStart + row.after, 100ms, kNoCap);
    EXPECT_EQ(window.size(), row.size) << row.taken << " after " << row.after.count();
    EXPECT_EQ(grew, row.size > 1000);
  }
}

TEST(ReceiveWindow, each_measurement_starts_where_the_last_one_ended) {
  ReceiveWindow window(1000);
  window.handle_arrival(0, kStart, 100ms);
  EXPECT_FALSE(window.handle_taken(500, kStart + 300ms, 100ms, kNoCap));
  EXPECT_FALSE(window.handle_taken(999, kStart + 350ms, 100ms, kNoCap));
  EXPECT_TRUE(window.handle_taken(1000, kStart + 350ms, 100ms, kNoCap));
}

TEST(ReceiveWindow, a_pause_is_not_held_against_the_reader) {
  ReceiveWindow window(1000);
  window.handle_arrival(0, kStart, 100ms);
  window.handle_taken(100, kStart, 100ms, kNoCap);
  window.handle_arrival(100, kStart + 10s, 100ms);
  EXPECT_FALSE(window.handle_taken(599, kStart + 10s + 1ms, 100ms, kNoCap));
  EXPECT_TRUE(window.handle_taken(600, kStart + 10s + 1ms, 100ms, kNoCap));
}

TEST(ReceiveWindow, nothing_to_read_for_less_than_a_quarter_of_the_round_trip_is_no_pause) {
  for (const Duration pause : {25ms, 26ms}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, 100ms);
    window.handle_taken(300, kStart + 80ms, 100ms, kNoCap);
    window.handle_arrival(300, kStart + 80ms + pause, 100ms);
    EXPECT_EQ(window.handle_taken(500, kStart + 80ms + pause, 100ms, kNoCap), pause == 25ms);
  }
}

TEST(ReceiveWindow, never_grows_above_its_cap_nor_shrinks_by_it) {
  for (const std::uint64_t cap : {999u, 1000u, 1001u, 4000u, 4001u}) {
    ReceiveWindow window(1000);
    window.handle_arrival(0, kStart, 100ms);
    EXPECT_EQ(window.handle_taken(500, kStart, 100ms, cap), cap > 1000);
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
