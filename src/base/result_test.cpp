#include "base/result.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

inline constexpr ErrorKind kNegative{"test", "negative", "the number is below zero"};
inline constexpr ErrorKind kOther{"test", "negative", "the number is below zero"};

Result<int> half(int x) {
  if (x < 0) return Error(kNegative, x);
  return x / 2;
}

Result<int> quarter(int x) {
  TRY_ASSIGN(const int h, half(x));
  TRY(half(h));
  return half(h);
}

TEST(Result, try_passes_the_error_on_with_its_detail) {
  ASSERT_TRUE(quarter(8).ok());
  EXPECT_EQ(*quarter(8), 2);
  const auto failed = quarter(-4);
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.error().is(kNegative));
  EXPECT_EQ(failed.error().detail(), -4);
}

TEST(Result, kinds_are_told_apart_by_identity_not_by_text) {
  EXPECT_FALSE(half(-1).error().is(kOther));
}

}  // namespace
}  // namespace karst
