#include "keys/depth_controller.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

// A sender that enters epochs at a rate, with ACKs that take a round trip.
struct Sender {
  explicit Sender(std::uint16_t window, DepthMode mode = DepthMode::automatic,
                  std::uint64_t epoch_bytes = 262'144)
      : controller(mode, window, epoch_bytes) {}

  void ack(Duration round_trip) { controller.ack_accepted(round_trip, now); }
  // `count` epochs, evenly over `time`.
  void drain(std::uint64_t count, Duration time) {
    for (std::uint64_t i = 0; i < count; ++i) {
      now += time / count;
      controller.current_epoch(++epoch, now);
    }
  }
  std::size_t target() { return controller.target(now); }

  DepthController controller;
  TimePoint now{1000s};
  std::uint64_t epoch = 0;
};

TEST(DepthController, a_fixed_window_is_always_wanted_whole) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 8, 512}) {
    Sender sender(window, DepthMode::fixed);
    EXPECT_EQ(sender.target(), window);
    sender.ack(100ms);
    sender.now += 24h;
    EXPECT_EQ(sender.target(), window);
  }
}

TEST(DepthController, starts_at_eight_or_at_a_smaller_window) {
  EXPECT_EQ(Sender(512).target(), 8u);
  EXPECT_EQ(Sender(8).target(), 8u);
  EXPECT_EQ(Sender(7).target(), 7u);
  EXPECT_EQ(Sender(1).target(), 1u);
}

std::size_t target_at_start(std::uint64_t epoch_bytes) {
  return Sender(512, DepthMode::automatic, epoch_bytes).target();
}

TEST(DepthController, of_large_epochs_only_two_are_wanted_ahead) {
  EXPECT_EQ(target_at_start(512 * 1024), 4u);
  EXPECT_EQ(target_at_start(1 << 20), 2u);
  EXPECT_EQ(target_at_start(8ull << 30), 2u);
}

TEST(DepthController, of_small_epochs_no_more_than_eight_are_wanted_ahead) {
  EXPECT_EQ(target_at_start(65'536), 8u);
}

TEST(DepthController, a_steady_rate_wants_twice_what_a_round_trip_drains_plus_eight) {
  Sender sender(512);
  sender.ack(128ms);  // counts as 131.071 ms, the top of its bucket
  sender.drain(1000, 10s);
  EXPECT_EQ(sender.target(), 2 * 14 + 8u);
}

TEST(DepthController, the_95th_percentile_of_the_round_trips_decides) {
  Sender sender(512);
  for (int i = 0; i < 94; ++i) sender.ack(60ms);
  for (int i = 0; i < 6; ++i) sender.ack(240ms);
  sender.drain(1000, 10s);
  EXPECT_EQ(sender.target(), 2 * 25 + 8u);
}

TEST(DepthController, never_wants_more_than_the_window) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 17}) {
    Sender sender(window);
    sender.ack(1s);
    sender.drain(100, 1s);
    EXPECT_EQ(sender.target(), window);
  }
}

// An OFFER made now gives a key one round trip from now. So in each round trip of a slow start the
// target at its beginning must cover what is drained in it, when each drains twice the last.
TEST(DepthController, grows_ahead_of_a_slow_start) {
  Sender sender(512);
  sender.ack(128ms);
  for (std::uint64_t drained = 1; drained <= 128; drained *= 2) {
    EXPECT_GE(sender.target(), drained);
    sender.drain(drained, 128ms);
  }
}

// While losses are repaired, ACKs take longer than the path, and what is drained grows more than
// twofold between an OFFER and its ACK.
TEST(DepthController, grows_ahead_of_a_slow_start_that_is_faster_than_its_acks) {
  Sender sender(512);
  sender.ack(256ms);
  sender.drain(4, 256ms);
  sender.drain(16, 256ms);
  for (std::uint64_t drained = 64; drained <= 256; drained *= 4) {
    EXPECT_GE(sender.target(), drained);
    sender.drain(drained, 256ms);
  }
}

TEST(DepthController, a_burst_of_a_few_epochs_does_not_count_as_growth) {
  Sender sender(512);
  sender.ack(128ms);
  sender.drain(8, 100ms);
  EXPECT_EQ(sender.target(), 2 * 8 + 8u);
}

TEST(DepthController, decays_in_quarters_every_half_second_when_the_rate_falls) {
  Sender sender(512);
  sender.ack(128ms);
  sender.drain(1000, 10s);
  ASSERT_EQ(sender.target(), 36u);  // demand 14
  const TimePoint stopped = sender.now;
  sender.now = stopped + 499ms;
  EXPECT_EQ(sender.target(), 36u);
  const std::size_t demands[] = {10, 7, 5, 3, 2, 1, 0};  // less a quarter, rounded up
  for (std::size_t step = 0; step < std::size(demands); ++step) {
    sender.now = stopped + (step + 1) * 500ms;
    EXPECT_EQ(sender.target(), 2 * demands[step] + 8) << step;
  }
  sender.now += 24h;
  EXPECT_EQ(sender.target(), 8u) << "a link that went quiet keeps more than the rule asks for";
}

TEST(DepthController, blocking_doubles_the_demand_once_per_round_trip) {
  Sender sender(512);
  sender.controller.blocked(sender.now);
  EXPECT_EQ(sender.target(), 8u) << "without a round trip there is nothing to double";
  sender.ack(128ms);
  sender.drain(10, 128ms);
  const std::size_t before = sender.target();
  sender.controller.blocked(sender.now);
  EXPECT_EQ(sender.target(), 2 * before - 8);
  sender.controller.blocked(sender.now + 100ms);
  EXPECT_EQ(sender.target(), 2 * before - 8);
  sender.controller.blocked(sender.now + 132ms);
  EXPECT_EQ(sender.target(), 4 * before - 24);
}

TEST(DepthController, one_offer_for_each_step_of_progress_while_the_depth_is_below_the_target) {
  Sender sender(3, DepthMode::fixed);
  EXPECT_FALSE(sender.controller.wants_offer(0, 0, sender.now)) << "nothing was sealed yet";
  EXPECT_TRUE(sender.controller.wants_offer(0, 1, sender.now));
  sender.controller.offered(1);
  EXPECT_FALSE(sender.controller.wants_offer(1, 1, sender.now));
  EXPECT_TRUE(sender.controller.wants_offer(2, 2, sender.now));
  EXPECT_FALSE(sender.controller.wants_offer(3, 2, sender.now));
}

}  // namespace
}  // namespace karst::keys
