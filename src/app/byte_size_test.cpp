#include "app/byte_size.h"

#include <gtest/gtest.h>

using namespace karst::app;

namespace {

TEST(ByteSize, bare_numbers_and_binary_units_are_understood) {
  const std::pair<const char*, std::uint64_t> cases[] = {
      {"0", 0},
      {"100", 100},
      {"512KiB", 512ull << 10},
      {"96 MiB", 96ull << 20},
      {"1  GiB", 1ull << 30},
      {"18446744073709551615", UINT64_MAX},
      {"17179869183 GiB", 17'179'869'183ull << 30},
  };
  for (const auto& [text, bytes] : cases) EXPECT_EQ(parse_byte_size(text), bytes) << text;
}

TEST(ByteSize, what_is_no_size_or_does_not_fit_is_none) {
  for (const char* text : {"", "MiB", "-1", "+1", " 1", "1 ", "1 MB", "1 mib", "1 MiBs", "1.5 MiB",
                           "1 Mi B", "18446744073709551616", "17179869184 GiB"}) {
    EXPECT_EQ(parse_byte_size(text), std::nullopt) << text;
  }
}

}  // namespace
