#include "driver/source_counts.h"

#include <gtest/gtest.h>

#include <vector>

namespace karst::driver {
namespace {

IpAddress ip(std::string_view text) { return IpAddress::parse(text).value(); }

TEST(SourceCounts, a_source_has_as_many_as_the_limit_and_others_their_own) {
  SourceCounts counts(2);
  EXPECT_TRUE(counts.enter(ip("192.0.2.1")));
  EXPECT_TRUE(counts.enter(ip("192.0.2.1")));
  EXPECT_FALSE(counts.enter(ip("192.0.2.1")));
  EXPECT_TRUE(counts.enter(ip("192.0.2.2")));
}

TEST(SourceCounts, one_that_leaves_makes_room_and_the_last_one_leaves_nothing_behind) {
  SourceCounts counts(1);
  EXPECT_TRUE(counts.enter(ip("192.0.2.1")));
  EXPECT_FALSE(counts.enter(ip("192.0.2.1")));
  counts.leave(ip("192.0.2.1"));
  EXPECT_EQ(counts.sources(), 0u);
  EXPECT_TRUE(counts.enter(ip("192.0.2.1")));
}

TEST(SourceCounts, which_addresses_are_one_source) {
  struct Row {
    std::string_view first;
    std::string_view second;
    bool same;
  };
  const std::vector<Row> rows{
      {"192.0.2.1", "192.0.2.2", false},
      {"192.0.2.1", "::ffff:192.0.2.1", true},
      {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
      {"2001:db8:0:1200::1", "2001:db8:0:12ff:ffff::9", true},
      {"2001:db8:0:1200::1", "2001:db8:0:1300::1", false},
  };
  for (const Row& row : rows) {
    SourceCounts counts(1);
    ASSERT_TRUE(counts.enter(ip(row.first)));
    EXPECT_EQ(counts.enter(ip(row.second)), !row.same) << row.first << " " << row.second;
  }
}

}  // namespace
}  // namespace karst::driver
