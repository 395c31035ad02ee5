#include "driver/rate_limit.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace karst::driver {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{77s};

// What moves in `time` when everything that may is taken, in steps.
std::uint64_t moved(std::uint64_t rate, Duration time, Duration step) {
  RateLimit limit(rate, kStart);
  std::uint64_t total = 0;
  for (Duration at{}; at <= time; at += step) {
    const std::size_t room = limit.room(kStart + at);
    limit.take(room);
    total += room;
  }
  return total;
}

TEST(RateLimit, lets_its_rate_pass_and_no_more_than_a_burst_above_it) {
  for (const std::uint64_t rate : {1ull, 3ull, 1'000ull, 1'000'000ull, 1ull << 34}) {
    for (const Duration step : {Duration(1ms), Duration(33ms)}) {
      const std::uint64_t total = moved(rate, 20s, step);
      EXPECT_GE(total, rate * 20 / 100 * 99) << rate;
      EXPECT_LE(total, rate * 20 + std::max<std::uint64_t>(16'385, rate / 20 + 1)) << rate;
    }
  }
}

TEST(RateLimit, an_idle_hour_saves_up_no_more_than_a_burst) {
  RateLimit limit(1'000'000, kStart);
  EXPECT_EQ(limit.room(kStart + 1h), 50'000u);
}

TEST(RateLimit, there_is_room_when_it_says_so) {
  for (const std::uint64_t rate : {1ull, 1'000ull, 1'000'000ull}) {
    RateLimit limit(rate, kStart);
    limit.take(limit.room(kStart));
    EXPECT_EQ(limit.room(kStart), 0u);
    EXPECT_GT(limit.room(limit.ready_at() + 1us), 0u) << rate;
  }
}

TEST(RateLimit, zero_is_no_limit) {
  RateLimit limit(0, kStart);
  limit.take(1 << 30);
  EXPECT_GT(limit.room(kStart), 1ull << 60);
}

}  // namespace
}  // namespace karst::driver
