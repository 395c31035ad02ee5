#include "platform/linux/clock.h"

#include <gtest/gtest.h>

#include <ctime>

namespace karst::platform {
namespace {

TEST(Clock, never_goes_back_and_counts_from_the_boot) {
  timespec boot{};
  ::clock_gettime(CLOCK_BOOTTIME, &boot);
  const TimePoint first = monotonic_now();
  EXPECT_GE(first.time_since_epoch(), std::chrono::seconds(boot.tv_sec));
  EXPECT_LT(first.time_since_epoch(), std::chrono::seconds(boot.tv_sec + 60));
  EXPECT_GE(monotonic_now(), first);
}

TEST(Clock, wall_time_is_the_systems) {
  EXPECT_LE(wall_now().seconds - ::time(nullptr), 1);
  EXPECT_GE(wall_now().seconds - ::time(nullptr), -1);
}

}  // namespace
}  // namespace karst::platform
