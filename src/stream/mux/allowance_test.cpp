#include "stream/mux/allowance.h"

#include <gtest/gtest.h>

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{77s};

int takes(Allowance& allowance, TimePoint now) {
  int count = 0;
  while (allowance.take(now)) ++count;
  return count;
}

TEST(Allowance, gives_its_burst_at_once_and_then_its_rate) {
  Allowance allowance(10, 4, kStart);
  EXPECT_EQ(takes(allowance, kStart), 10);
  EXPECT_EQ(takes(allowance, kStart + 249ms), 0);
  EXPECT_EQ(takes(allowance, kStart + 250ms), 1);
  EXPECT_EQ(takes(allowance, kStart + 1250ms), 4);
}

TEST(Allowance, loses_no_time_to_rounding) {
  Allowance allowance(10, 1, kStart);
  takes(allowance, kStart);
  int count = 0;
  for (Duration at{}; at < 5s; at += 999ns) count += takes(allowance, kStart + at);
  EXPECT_EQ(count, 4);
  EXPECT_EQ(takes(allowance, kStart + 5s), 1);
}

TEST(Allowance, never_holds_more_than_its_burst) {
  Allowance allowance(3, 1000, kStart);
  EXPECT_EQ(takes(allowance, kStart + std::chrono::hours(1'000'000)), 3);
}

}  // namespace
}  // namespace karst::stream::mux
