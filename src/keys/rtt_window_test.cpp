#include "keys/rtt_window.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow{1000s};

// What a bucket makes of a value.
Duration top_of(Duration value) {
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(value).count();
  return std::chrono::microseconds(
      log_bucket_top(log_bucket(static_cast<std::uint64_t>(microseconds))));
}

TEST(RttWindow, without_samples_it_has_no_percentile) {
  RttWindow window;
  EXPECT_FALSE(window.percentile_95(kNow).has_value());
}

TEST(RttWindow, five_in_a_hundred_may_be_longer_and_no_more) {
  RttWindow window;
  for (int i = 0; i < 95; ++i) window.add(60ms, kNow);
  for (int i = 0; i < 5; ++i) window.add(210ms, kNow);
  EXPECT_EQ(window.percentile_95(kNow), top_of(60ms));
  window.add(210ms, kNow);
  EXPECT_EQ(window.percentile_95(kNow), top_of(210ms));
}

TEST(RttWindow, is_at_most_an_eighth_above_the_sample) {
  for (const Duration value : {Duration(50us), Duration(1ms), Duration(60ms), Duration(1200ms)}) {
    RttWindow window;
    window.add(value, kNow);
    EXPECT_GE(*window.percentile_95(kNow), value);
    EXPECT_LE(*window.percentile_95(kNow), value + value / 8);
  }
}

TEST(RttWindow, a_sample_counts_for_more_than_nine_and_less_than_eleven_seconds) {
  RttWindow window;
  window.add(900ms, kNow + 500ms);
  EXPECT_TRUE(window.percentile_95(kNow + 9500ms).has_value());
  EXPECT_FALSE(window.percentile_95(kNow + 10s).has_value());
}

TEST(RttWindow, after_a_long_silence_only_the_new_samples_count) {
  RttWindow window;
  for (int second = 0; second < 12; ++second) window.add(900ms, kNow + second * 1s);
  window.add(60ms, kNow + 24h);
  EXPECT_EQ(window.percentile_95(kNow + 24h), top_of(60ms));
}

TEST(RttWindow, takes_any_sample) {
  RttWindow window;
  window.add(-5s, kNow);
  EXPECT_EQ(window.percentile_95(kNow), 0us);
  window.add(24h, kNow);
  EXPECT_EQ(window.percentile_95(kNow), top_of(67s));
}

}  // namespace
}  // namespace karst::keys
