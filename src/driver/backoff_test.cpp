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

TEST(Backoff, after_the_longest_wait_another_failure_begins_with_the_first_step) {
  Backoff backoff{Prng(1)};
  for (int i = 0; i < 10; ++i) backoff.next();
  EXPECT_GE(backoff.longest(), 15s);
  EXPECT_GE(backoff.longest(), 15s);
  EXPECT_LE(backoff.next(), 250ms);
}

// The length of one attempt, and how often it comes in so long.
int silences(Backoff& backoff, TimePoint& now, Duration attempt, Duration time) {
  int count = 0;
  for (const TimePoint end = now + time; now < end; ++count) {
    backoff.begin(now);
    now += attempt;
    now += backoff.next_after_silence(now);
  }
  return count;
}

TEST(Backoff, does_not_grow_while_nobody_answers_for_five_minutes) {
  Backoff backoff{Prng(1)};
  for (int i = 0; i < 5; ++i) backoff.next();
  TimePoint now(1000s);
  EXPECT_GE(silences(backoff, now, 15s, Backoff::kSilenceTime), 20);
  backoff.begin(now);
  EXPECT_GE(backoff.next_after_silence(now + 15s), 4s) << "the sixth step";
  backoff.reset();
  EXPECT_LE(backoff.next_after_silence(now + 15s), Backoff::kFirst);
}

TEST(Backoff, silence_that_comes_at_once_is_met_once_a_second) {
  Backoff backoff{Prng(1)};
  TimePoint now(1000s);
  const int count = silences(backoff, now, 0s, Backoff::kSilenceTime);
  EXPECT_GE(count, 300);
  EXPECT_LE(count, 600);
  for (int i = 0; i < 10; ++i) backoff.next_after_silence(now);
  EXPECT_GE(backoff.next_after_silence(now), 15s);
}

TEST(Backoff, silence_after_an_answer_begins_a_row_of_its_own) {
  Backoff backoff{Prng(1)};
  TimePoint now(1000s);
  silences(backoff, now, 15s, Backoff::kSilenceTime + 5min);
  backoff.next();
  backoff.begin(now);
  EXPECT_LE(backoff.next_after_silence(now + 15s), Backoff::kFirst);
}

TEST(Backoff, two_clients_do_not_wait_alike) {
  Backoff a{Prng(1)}, b{Prng(2)};
  EXPECT_NE(a.next(), b.next());
}

}  // namespace
}  // namespace karst::driver
