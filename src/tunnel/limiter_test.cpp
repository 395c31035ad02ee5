#include "tunnel/limiter.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/prng.h"

namespace karst::tunnel {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{1234s + 500ms};

Duration of(const LimiterAccount::Times& times, Limiter limiter) {
  return times[static_cast<std::size_t>(limiter)];
}

TEST(LimiterAccount, charges_each_interval_to_what_was_said_at_its_beginning) {
  LimiterAccount account(kStart);
  account.set(Limiter::ratchet, kStart + 10ms);
  account.set(Limiter::application, kStart + 40ms);
  const auto total = account.total(kStart + 100ms);
  EXPECT_EQ(of(total, Limiter::idle), 10ms);
  EXPECT_EQ(of(total, Limiter::ratchet), 30ms);
  EXPECT_EQ(of(total, Limiter::application), 60ms);
}

TEST(LimiterAccount, shares_of_busy_time_add_up_to_one_over_random_histories) {
  Prng prng(5);
  LimiterAccount account(kStart);
  TimePoint now = kStart;
  PathCounters counters;
  for (int step = 0; step < 20000; ++step) {
    now += Duration(static_cast<std::int64_t>(prng.below(40'000'000)));
    account.set(static_cast<Limiter>(prng.below(kLimiterCount)), now);
    if (prng.chance(1, 5)) account.charge_cpu(Duration(prng.below(30'000'000)), now + 5ms);
    if (prng.chance(1, 20)) {
      counters.busy += 500ms;
      counters.receive_window_limited += Duration(prng.below(250'000'000));
      counters.send_buffer_limited += Duration(prng.below(250'000'000));
      account.sample_path(counters, now);
    }
    for (const auto& times : {account.total(now), account.recent(now)}) {
      const auto shares = LimiterAccount::shares(times);
      const double sum = std::accumulate(shares.begin(), shares.end(), 0.0);
      const bool busy = sum > 0;
      if (busy) {
        ASSERT_NEAR(sum, 1.0, 1e-9);
      }
      for (Duration time : times) ASSERT_GE(time, Duration::zero());
    }
  }
  const auto total = account.total(now);
  EXPECT_EQ(std::accumulate(total.begin(), total.end(), Duration::zero()), now - kStart);
}

TEST(LimiterAccount, recent_forgets_what_is_older_than_its_window) {
  LimiterAccount account(kStart);
  account.set(Limiter::ratchet, kStart);
  account.set(Limiter::application, kStart + 2s);
  EXPECT_EQ(of(account.recent(kStart + 5s), Limiter::ratchet), 2s);
  EXPECT_EQ(of(account.recent(kStart + 13s), Limiter::ratchet), 0s);
  const auto after_pause = account.recent(kStart + 100s);
  EXPECT_GT(of(after_pause, Limiter::application), 8s);
  EXPECT_EQ(of(account.total(kStart + 100s), Limiter::application), 98s);
}

TEST(LimiterAccount, full_socket_time_is_split_as_tcp_info_counted_it) {
  LimiterAccount account(kStart);
  account.set(Limiter::congestion_window, kStart);
  account.sample_path({.busy = 1s, .receive_window_limited = 120ms, .send_buffer_limited = 70ms},
                      kStart + 1s);
  for (const auto& times : {account.total(kStart + 1s), account.recent(kStart + 1s)}) {
    EXPECT_EQ(of(times, Limiter::receive_window), 120ms);
    EXPECT_EQ(of(times, Limiter::send_buffer), 70ms);
    EXPECT_EQ(of(times, Limiter::congestion_window), 810ms);
  }
}

TEST(LimiterAccount, a_window_that_binds_a_fifth_of_the_time_binds_a_paced_sender_all_of_it) {
  LimiterAccount account(kStart);
  account.set(Limiter::congestion_window, kStart);
  account.sample_path({.busy = 1s, .receive_window_limited = 300ms, .send_buffer_limited = 100ms},
                      kStart + 1s);
  for (const auto& times : {account.total(kStart + 1s), account.recent(kStart + 1s)}) {
    EXPECT_NEAR(static_cast<double>(of(times, Limiter::receive_window).count()), 750e6, 2);
    EXPECT_NEAR(static_cast<double>(of(times, Limiter::send_buffer).count()), 250e6, 2);
    EXPECT_LE(of(times, Limiter::congestion_window), 2ns);
  }
}

TEST(LimiterAccount, a_late_loop_is_charged_to_cpu_but_never_to_an_idle_link) {
  LimiterAccount account(kStart);
  account.set(Limiter::congestion_window, kStart);
  account.charge_cpu(4ms, kStart + 10ms);
  EXPECT_EQ(of(account.total(kStart + 10ms), Limiter::cpu), 4ms);
  EXPECT_EQ(of(account.total(kStart + 10ms), Limiter::congestion_window), 6ms);
  account.set(Limiter::idle, kStart + 10ms);
  account.charge_cpu(4ms, kStart + 20ms);
  EXPECT_EQ(of(account.total(kStart + 20ms), Limiter::cpu), 4ms);
}

}  // namespace
}  // namespace karst::tunnel
