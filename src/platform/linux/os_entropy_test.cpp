#include "platform/linux/os_entropy.h"

#include <gtest/gtest.h>

#include <set>

namespace karst::platform {
namespace {

TEST(OsEntropy, fills_everything_and_never_twice_the_same) {
  OsEntropy entropy;
  std::set<std::array<std::uint8_t, 16>> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(entropy.bytes<16>());
  EXPECT_EQ(seen.size(), 1000u);
  // A request longer than one getrandom() may serve without interruption (256 bytes).
  std::array<std::uint8_t, 100'000> large{};
  entropy.fill(large);
  int zeros = 0;
  for (std::size_t i = large.size() - 1000; i < large.size(); ++i) zeros += large[i] == 0;
  EXPECT_LT(zeros, 100);
}

}  // namespace
}  // namespace karst::platform
