#include "lab/pattern.h"

#include <gtest/gtest.h>

namespace karst::lab {
namespace {

TEST(Pattern, every_offset_has_its_bytes_however_they_are_read) {
  const Pattern pattern(3);
  ByteVector read;
  std::uint64_t offset = 0;
  while (offset < 3'000'000) {
    const Bytes piece = pattern.from(offset).first(100'003);
    read.insert(read.end(), piece.begin(), piece.end());
    offset += piece.size();
  }
  EXPECT_TRUE(pattern.matches(read, 0));
  EXPECT_TRUE(pattern.matches(Bytes(read).subspan(777'777, 500'000), 777'777));
}

TEST(Pattern, what_is_lost_doubled_or_of_another_stream_does_not_match) {
  const Pattern pattern(1);
  ByteVector data = to_vector(pattern.from(0).first(100'000));
  EXPECT_TRUE(pattern.matches(data, 0));
  EXPECT_FALSE(pattern.matches(data, 16'384));
  EXPECT_FALSE(pattern.matches(data, std::uint64_t{1} << 20));
  EXPECT_FALSE(Pattern(2).matches(data, 0));
  data[99'999] ^= 1;
  EXPECT_FALSE(pattern.matches(data, 0));
}

}  // namespace
}  // namespace karst::lab
