#include "lab/link/direction.h"

#include <gtest/gtest.h>

#include "lab/link/packets_for_test.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1000s};

struct Arrival {
  Duration after;
  std::size_t segments;
  std::uint64_t sequence;
};

// All that comes out, polled at each deadline.
std::vector<Arrival> drain(Direction& direction) {
  std::vector<Arrival> out;
  while (const auto next = direction.next_deadline()) {
    while (const auto packet = direction.poll_output(*next)) {
      out.push_back({*next - kStart, packet->segments(), load(packet->ip(), 24, 4)});
    }
  }
  return out;
}

TEST(Direction, a_packet_arrives_after_its_wire_time_and_the_delay) {
  Direction direction({.delay = 100ms, .rate = 1'000'000, .queue_bytes = 100'000}, 1);
  direction.handle_input(parse_packet({.payload = 960}), kStart);  // 1,000 bytes: 8 ms
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].after, 108ms);
}

TEST(Direction, packets_wait_for_the_wire_one_after_the_other) {
  Direction direction({.rate = 1'000'000, .queue_bytes = 100'000}, 1);
  for (int i = 0; i < 3; ++i) direction.handle_input(parse_packet({.payload = 960}), kStart);
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out[0].after, 8ms);
  EXPECT_EQ(out[2].after, 24ms);
}

TEST(Direction, without_a_rate_there_is_only_the_delay) {
  Direction direction({.delay = 30ms}, 1);
  direction.handle_input(parse_packet({.payload = 60'000, .segment_bytes = 1000}), kStart);
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].after, 30ms);
  EXPECT_EQ(out[0].segments, 60u);
}

TEST(Direction, a_full_queue_drops_at_its_end) {
  Direction direction({.rate = 1'000'000, .queue_bytes = 5000}, 1);
  for (int i = 0; i < 8; ++i) direction.handle_input(parse_packet({.payload = 960}), kStart);
  EXPECT_EQ(drain(direction).size(), 5u);
  EXPECT_EQ(direction.counters().queue_dropped, 3u);
}

TEST(Direction, a_super_packet_loses_the_segments_that_do_not_fit) {
  Direction direction({.rate = 10'000'000, .queue_bytes = 3 * 1040}, 1);
  direction.handle_input(parse_packet({.payload = 5000, .segment_bytes = 1000}), kStart);
  const auto out = drain(direction);
  EXPECT_EQ(direction.counters().queue_dropped, 2u);
  std::size_t segments = 0;
  for (const Arrival& arrival : out) segments += arrival.segments;
  EXPECT_EQ(segments, 3u);
}

TEST(Direction, a_super_packet_leaves_in_pieces_of_at_most_a_millisecond) {
  Direction direction({.rate = 100'000'000, .queue_bytes = 1 << 20}, 1);
  direction.handle_input(parse_packet({.payload = 60'000, .segment_bytes = 1000}), kStart);
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 5u);  // 12 segments of 83.2 microseconds each
  EXPECT_EQ(out[0].segments, 12u);
  EXPECT_EQ(out[0].after, 12 * 83'200ns);
  EXPECT_EQ(out[4].after, 60 * 83'200ns);
}

TEST(Direction, lost_segments_split_a_super_packet_and_the_rest_keeps_its_place) {
  Direction direction({.loss = {kCertain / 2}}, 5);
  direction.handle_input(parse_packet({.payload = 20'000, .segment_bytes = 1000, .sequence = 0}),
                         kStart);
  const auto out = drain(direction);
  std::size_t segments = 0;
  for (const Arrival& arrival : out) {
    segments += arrival.segments;
    EXPECT_EQ(arrival.sequence % 1000, 0u);
  }
  EXPECT_EQ(segments, direction.counters().delivered);
  EXPECT_EQ(segments + direction.counters().lost, 20u);
  EXPECT_GT(direction.counters().lost, 3u);
  EXPECT_GT(out.size(), 3u);
}

DirectionCounters losses(std::uint64_t seed, std::uint16_t segment_bytes, int packets) {
  Direction direction(
      {.loss = {kCertain / 50},
       .bursts = BurstLoss{.enter = {kCertain / 100}, .leave = {kCertain / 4}, .bad = {kCertain}}},
      seed);
  for (int i = 0; i < packets; ++i) {
    direction.handle_input(parse_packet({.payload = 20'000, .segment_bytes = segment_bytes}),
                           kStart + i * 1ms);
  }
  return direction.counters();
}

std::uint64_t digest_of_losses(std::uint64_t seed, std::uint16_t segment_bytes, int packets) {
  return losses(seed, segment_bytes, packets).fates;
}

TEST(Direction, loads_of_unequal_length_have_the_same_early_losses) {
  const int enough = kEarlySegments / 20;
  const DirectionCounters shorter = losses(7, 1000, enough + 50),
                          longer = losses(7, 1000, 2 * enough);
  EXPECT_NE(shorter.fates, longer.fates);
  EXPECT_EQ(shorter.early_fates, longer.early_fates);
  EXPECT_NE(shorter.early_fates, losses(8, 1000, enough + 50).early_fates);
  EXPECT_NE(shorter.early_fates, shorter.fates);
}

TEST(Direction, the_same_seed_drops_the_same_segments_however_they_are_joined) {
  const std::uint64_t joined = digest_of_losses(7, 1000, 50);
  EXPECT_EQ(joined, digest_of_losses(7, 1000, 50));
  EXPECT_NE(joined, digest_of_losses(8, 1000, 50));
  EXPECT_EQ(joined, digest_of_losses(7, 2000, 100));
}

TEST(Direction, loss_is_within_its_binomial_bounds) {
  Direction direction({.loss = {kCertain / 100}}, 3);
  for (int i = 0; i < 5000; ++i) {
    direction.handle_input(parse_packet({.payload = 20'000, .segment_bytes = 1000}), kStart);
  }
  EXPECT_NEAR(static_cast<double>(direction.counters().lost), 1000, 3.3 * 31.5);
}

TEST(Direction, bursts_have_the_average_length_that_was_asked_for) {
  LossModel model(
      {.bursts = BurstLoss{.enter = {kCertain / 200}, .leave = {kCertain / 10}, .bad = {kCertain}}},
      11);
  int bursts = 0;
  int lost = 0;
  bool before = false;
  for (int i = 0; i < 400'000; ++i) {
    const bool now = model.next().lost;
    bursts += now && !before ? 1 : 0;
    lost += now ? 1 : 0;
    before = now;
  }
  EXPECT_NEAR(static_cast<double>(lost) / bursts, 10, 1);
  EXPECT_NEAR(lost / 400'000.0, (1.0 / 200) / (1.0 / 200 + 1.0 / 10), 0.01);
}

TEST(Direction, jitter_delays_and_keeps_the_order) {
  Direction direction({.delay = 10ms, .jitter = 5ms}, 2);
  for (int i = 0; i < 200; ++i) {
    direction.handle_input(
        parse_packet({.payload = 100, .sequence = static_cast<std::uint32_t>(i)}),
        kStart + i * 100us);
  }
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 200u);
  Duration most{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    EXPECT_EQ(out[i].sequence, i);
    const Duration extra = out[i].after - 10ms - static_cast<int>(i) * 100us;
    EXPECT_GE(extra, 0ms);
    most = std::max(most, extra);
  }
  EXPECT_GT(most, 3ms);
  EXPECT_LE(most, 5ms);
}

TEST(Direction, a_reordered_segment_is_overtaken) {
  Direction direction({.reorder = {kCertain / 10}, .reorder_by = 3ms}, 4);
  for (int i = 0; i < 100; ++i) {
    direction.handle_input(
        parse_packet({.payload = 100, .sequence = static_cast<std::uint32_t>(i)}),
        kStart + i * 1ms);
  }
  const auto out = drain(direction);
  ASSERT_EQ(out.size(), 100u);
  std::size_t late = 0;
  for (std::size_t i = 1; i < out.size(); ++i) late += out[i].sequence < out[i - 1].sequence;
  EXPECT_GT(late, 2u);
  EXPECT_GE(direction.counters().reordered, late);
}

TEST(Direction, a_duplicate_comes_once_more) {
  Direction direction({.duplicate = {kCertain}}, 4);
  direction.handle_input(parse_packet({.payload = 2000, .segment_bytes = 1000}), kStart);
  const auto out = drain(direction);
  std::size_t segments = 0;
  for (const Arrival& arrival : out) segments += arrival.segments;
  EXPECT_EQ(segments, 4u);
}

TEST(Direction, during_an_outage_all_is_lost_also_what_is_under_way) {
  Direction direction({.delay = 10ms}, 1);
  direction.handle_input(parse_packet({}), kStart);
  direction.set_down(true);
  direction.handle_input(parse_packet({}), kStart + 1ms);
  EXPECT_FALSE(direction.poll_output(kStart + 20ms));
  EXPECT_EQ(direction.counters().down, 2u);
  direction.set_down(false);
  direction.handle_input(parse_packet({}), kStart + 30ms);
  EXPECT_TRUE(direction.poll_output(kStart + 40ms));
}

TEST(Direction, udp_is_blocked_and_tcp_is_not) {
  Direction direction({.block_udp = true}, 1);
  direction.handle_input(parse_packet({.tcp = false, .payload = 10}), kStart);
  direction.handle_input(parse_packet({.payload = 10}), kStart);
  EXPECT_EQ(direction.counters().blocked, 1u);
  EXPECT_EQ(drain(direction).size(), 1u);
}

TEST(Direction, what_is_too_big_is_answered_by_icmp_or_vanishes) {
  for (const bool v6 : {false, true}) {
    Direction told({.mtu = 1280}, 1);
    told.handle_input(parse_packet({.v6 = v6, .payload = 1400}), kStart);
    EXPECT_FALSE(told.next_deadline());
    const auto answer = told.poll_answer();
    ASSERT_TRUE(answer);
    const Bytes ip = Bytes(*answer).subspan(kVnetHeaderBytes);
    const std::size_t network = v6 ? 40 : 20;
    EXPECT_EQ(ip[network], v6 ? 2 : 3);
    EXPECT_EQ(load(ip, network + (v6 ? 4 : 6), v6 ? 4 : 2), 1280u);
    Direction silent({.mtu = 1280, .too_big = TooBig::black_hole}, 1);
    silent.handle_input(parse_packet({.v6 = v6, .payload = 1400}), kStart);
    EXPECT_FALSE(silent.poll_answer());
    EXPECT_EQ(silent.counters().too_big, 1u);
  }
}

// 5 % more than the wire takes, for twenty seconds.
std::pair<Duration, std::uint64_t> overload(QueueDiscipline discipline) {
  Direction direction({.rate = 10'000'000, .queue_bytes = 10 << 20, .discipline = discipline}, 1);
  TimePoint now = kStart;
  for (int i = 0; i < 17'600; ++i) {
    direction.handle_input(parse_packet({.payload = 1448}), now);
    now += 1'134us;
    while (direction.poll_output(now)) {
    }
  }
  Duration wait{};
  while (const auto next = direction.next_deadline()) {
    wait = *next - now;
    while (direction.poll_output(*next)) {
    }
  }
  return {wait, direction.counters().queue_dropped};
}

TEST(Direction, codel_drops_before_the_queue_is_full_and_keeps_it_short) {
  const auto [tail_wait, tail_dropped] = overload(QueueDiscipline::tail_drop);
  const auto [codel_wait, codel_dropped] = overload(QueueDiscipline::codel);
  EXPECT_EQ(tail_dropped, 0u);
  EXPECT_GT(tail_wait, 800ms);
  EXPECT_GT(codel_dropped, 100u);
  EXPECT_LT(codel_wait, tail_wait / 2);
}

TEST(Direction, memory_for_packets_under_way_is_bounded) {
  Direction direction({.delay = 10s}, 1);
  const SuperPacket packet = parse_packet({.payload = 60'000, .segment_bytes = 1000});
  const std::size_t fit = kBytesUnderWayMax / packet.bytes().size();
  for (std::size_t i = 0; i < fit + 2; ++i) direction.handle_input(packet, kStart);
  EXPECT_EQ(direction.counters().overrun, 120u);
}

}  // namespace
}  // namespace karst::lab
