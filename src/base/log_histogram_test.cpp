#include "base/log_histogram.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

TEST(LogHistogram, every_bucket_begins_where_the_one_before_ends) {
  std::uint64_t first = 0;
  for (std::size_t bucket = 0; bucket < kLogBuckets; ++bucket) {
    const std::uint64_t top = log_bucket_top(bucket);
    EXPECT_EQ(log_bucket(first), bucket);
    EXPECT_EQ(log_bucket(top), bucket);
    EXPECT_LE(top - first, first / 8) << "bucket " << bucket << " is wider than an eighth";
    first = top + 1;
  }
  EXPECT_EQ(first, 0u) << "the last bucket does not end at the largest value";
}

TEST(LogHistogram, a_percentile_is_the_top_of_the_bucket_that_holds_it) {
  LogHistogram histogram;
  EXPECT_EQ(histogram.percentile(95), 0u);
  for (std::uint64_t value = 1; value <= 100; ++value) histogram.add(value);
  EXPECT_EQ(histogram.total(), 100u);
  EXPECT_EQ(histogram.percentile(5), 5u);
  EXPECT_EQ(histogram.percentile(95), log_bucket_top(log_bucket(95)));
  EXPECT_EQ(histogram.percentile(100), log_bucket_top(log_bucket(100)));
}

}  // namespace
}  // namespace karst
