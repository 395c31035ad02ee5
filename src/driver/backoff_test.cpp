#include "driver/backoff.h"

#include <gtest/gtest.h>

namespace karst::driver {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, doubles_from_a_quarter_second_to_thirty_within_the_upper_half_of_each_step) {
  Backoff backoff{Prng(1)};
  Duration step = 250ms;
  for (int i = 0; i < 20; ++i) {
    const Duration wait = backoff.next();
    EXPECT_GE(wait, step / 2);
    EXPECT_LE(wait, step);
    step = std::min<Duration>(step * 2, 30s);
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), 250ms);
}

TEST(Backoff, the_longest_wait_can_be_had_at_once_and_stays) {
  Backoff backoff{Prng(1)};
  EXPECT_GE(backoff.longest(), 15s);
  EXPECT_GE(backoff.next(), 15s);
  backoff.reset();
  EXPECT_LE(backoff.next(), 250ms);
}

TEST(Backoff, does_not_grow_while_nobody_answers_for_five_minutes) {
  Backoff backoff{Prng(1)};
  for (int i = 0; i < 5; ++i) backoff.next();
  for (int i = 0; i < Backoff::kSilencesMax; ++i) {
    EXPECT_LE(backoff.next_after_silence(), Backoff::kFirst);
  }
  EXPECT_GE(backoff.next_after_silence(), 4s) << "the sixth step";
  backoff.reset();
  EXPECT_LE(backoff.next_after_silence(), Backoff::kFirst);
}

TEST(Backoff, two_clients_do_not_wait_alike) {
  Backoff a{Prng(1)}, b{Prng(2)};
  EXPECT_NE(a.next(), b.next());
}

}  // namespace
}  // namespace karst::driver
