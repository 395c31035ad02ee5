#include "keys/blocked_meter.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};

TEST(BlockedMeter, sums_waits_and_counts_each_once) {
  BlockedMeter meter;
  meter.begin(kNow);
  meter.begin(kNow + 5ms);
  EXPECT_TRUE(meter.running());
  EXPECT_EQ(meter.total(kNow + 10ms), 10ms) << "a wait that runs counts up to now";
  meter.end(kNow + 20ms);
  meter.end(kNow + 30ms);
  EXPECT_FALSE(meter.running());
  EXPECT_EQ(meter.total(kNow + 1h), 20ms);
  meter.begin(kNow + 40ms);
  meter.end(kNow + 45ms);
  EXPECT_EQ(meter.total(kNow + 1h), 25ms);
  EXPECT_EQ(meter.waits().total(), 2u);
  EXPECT_EQ(meter.waits().percentile(100), log_bucket_top(log_bucket(20'000)));
}

}  // namespace
}  // namespace karst::keys
