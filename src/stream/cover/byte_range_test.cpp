#include "stream/cover/byte_range.h"

#include <gtest/gtest.h>

#include <string>

namespace karst::stream::cover {
namespace {

std::string verdict(std::string_view header, std::uint64_t size) {
  const ByteRange range = parse_byte_range(header, size);
  switch (range.kind) {
    case ByteRange::Kind::whole:
      return "whole";
    case ByteRange::Kind::unsatisfiable:
      return "416";
    case ByteRange::Kind::part:
      break;
  }
  return std::to_string(range.first) + "-" + std::to_string(range.first + range.length - 1);
}

// As nginx 1.22 answers, but for several ranges, which it sends as multipart.
TEST(ByteRange, is_understood_as_nginx_does) {
  const std::pair<std::string_view, std::string_view> kTable[] = {
      {"bytes=0-9", "0-9"},
      {"bytes=0-0", "0-0"},
      {"bytes=99-99", "99-99"},
      {"bytes=-10", "90-99"},
      {"bytes=-1", "99-99"},
      {"bytes=-100", "0-99"},
      {"bytes=-200", "0-99"},
      {"bytes=95-", "95-99"},
      {"bytes=0-", "0-99"},
      {"bytes=0-99", "0-99"},
      {"bytes=0-1000", "0-99"},
      {"bytes= 0-1", "0-1"},
      {"bytes=0-99999999999999999999999", "0-99"},
      {"bytes=-99999999999999999999999", "0-99"},
      {"bytes=100-", "416"},
      {"bytes=5-2", "416"},
      {"bytes=-0", "416"},
      {"bytes=-", "416"},
      {"bytes=a-", "416"},
      {"bytes=1", "416"},
      {"bytes=+1-2", "416"},
      {"bytes=1-2-3", "416"},
      {"bytes=99999999999999999999-", "416"},
      {"bits=0-1", "whole"},
      {"Bytes=0-1", "whole"},
      {"bytes=", "whole"},
      {"", "whole"},
      {"bytes=0-1,3-4", "whole"},
  };
  for (const auto& [header, expected] : kTable) EXPECT_EQ(verdict(header, 100), expected) << header;
}

TEST(ByteRange, nothing_can_be_taken_from_an_empty_file) {
  EXPECT_EQ(verdict("bytes=0-", 0), "whole");
  EXPECT_EQ(verdict("bytes=-1", 0), "whole");
}

TEST(ByteRange, every_small_range_of_every_small_file_lies_within_it) {
  for (std::uint64_t size = 1; size <= 6; ++size) {
    for (std::uint64_t first = 0; first <= 7; ++first) {
      for (std::uint64_t last = 0; last <= 7; ++last) {
        const std::string header = "bytes=" + std::to_string(first) + "-" + std::to_string(last);
        const bool is_part = first <= last && first < size;
        const std::string part =
            std::to_string(first) + "-" + std::to_string(std::min(last, size - 1));
        EXPECT_EQ(verdict(header, size), is_part ? part : "416") << header << " of " << size;
      }
    }
  }
}

TEST(Decimal, has_digits_only_and_fits_sixty_four_bits) {
  EXPECT_EQ(parse_decimal("0"), 0u);
  EXPECT_EQ(parse_decimal("18446744073709551615"), UINT64_MAX);
  for (std::string_view text : {"", "18446744073709551616", "-1", "+1", " 1", "1 ", "0x1"}) {
    EXPECT_EQ(parse_decimal(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace karst::stream::cover
