#include "base/prng.h"

#include <gtest/gtest.h>

namespace karst {
namespace {

TEST(Prng, gives_the_published_xoshiro256ss_sequence_for_a_splitmix_seed) {
  // Reference values computed with the authors' public-domain C code for seed 42.
  Prng prng(42);
  EXPECT_EQ(prng.next(), 1546998764402558742u);
  EXPECT_EQ(prng.next(), 6990951692964543102u);
}

TEST(Prng, below_stays_below_its_bound_and_reaches_every_value) {
  Prng prng(7);
  std::array<int, 5> seen{};
  for (int i = 0; i < 1000; ++i) seen.at(prng.below(5))++;
  for (int count : seen) EXPECT_GT(count, 100);
}

TEST(Prng, fill_is_the_same_for_the_same_seed_and_differs_between_seeds) {
  std::array<std::uint8_t, 37> a{}, b{}, c{};
  Prng(1).fill(a);
  Prng(1).fill(b);
  Prng(2).fill(c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
}

}  // namespace
}  // namespace karst
