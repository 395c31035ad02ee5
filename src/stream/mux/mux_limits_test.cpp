// Every bound, one below it, at it and one above it; and the floods.
#include <gtest/gtest.h>

#include <string>

#include "stream/mux/error.h"
#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"
#include "wire/report.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;
using wire::FrameType;

Result<void> open_streams(Alone& server, std::uint32_t count) {
  for (std::uint32_t stream = 1; stream <= count; ++stream) {
    const auto handled = server.handle(Frames().open(stream));
    if (!handled.ok()) return handled;
    if (stream < count) server.mux.accept(id(stream), std::nullopt);
    server.said();
  }
  return {};
}

TEST(MuxLimits, a_server_takes_as_many_streams_as_its_limit) {
  for (const std::uint32_t count : {9u, 10u, 11u}) {
    Alone server(Role::server, {.streams = 10});
    const auto result = open_streams(server, count);
    EXPECT_EQ(result.ok(), count <= 10) << count;
    EXPECT_EQ(server.mux.status().streams, count <= 10 ? count : 0);
    if (!result.ok()) {
      EXPECT_TRUE(result.error().is(kTooManyStreams));
    }
  }
}

TEST(MuxLimits, streams_that_nobody_answers_count_like_others) {
  Pair pair({.streams = 1'000});
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(pair.client.open(tcp()).ok()) << i;
  EXPECT_TRUE(pair.client.open(tcp()).error().is(kTooManyStreams));
  pair.settle();
  EXPECT_EQ(only<Opened>(events(pair.server)).size(), 1'000u);
}

TEST(MuxLimits, a_client_opens_no_more_than_the_limit_allows) {
  Pair pair({.streams = 2});
  const StreamId first = *pair.client.open(tcp());
  ASSERT_TRUE(pair.client.open(tcp()).ok());
  EXPECT_TRUE(pair.client.open(tcp()).error().is(kTooManyStreams));
  pair.settle();
  pair.client.reset(first, wire::ResetReason::cancelled);
  EXPECT_TRUE(pair.client.open(tcp()).error().is(kTooManyStreams));
  pair.settle();
  EXPECT_TRUE(pair.client.open(tcp()).ok());
}

TEST(MuxLimits, a_client_that_opens_and_ends_streams_as_fast_as_it_may_is_never_at_fault) {
  Pair pair({.streams = 4});
  for (int i = 0; i < 300; ++i) {
    while (const auto stream = pair.client.open(tcp())) {
      if (i % 2 == 0) pair.client.reset(*stream, wire::ResetReason::cancelled);
      pair.client.finish(*stream);
    }
    pair.move(pair.client, pair.server);
    for (const Opened& opened : only<Opened>(events(pair.server))) {
      if (i % 3 == 0) {
        pair.server.refuse(opened.stream, wire::OpenCode::refused);
      } else {
        pair.server.accept(opened.stream, std::nullopt);
        pair.server.finish(opened.stream);
      }
    }
    pair.move(pair.server, pair.client);
    events(pair.client);
  }
  pair.settle();
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_GT(pair.server.counters().streams_opened, 500u);
}

// How many of the frames a fresh server takes at once.
template <class Add>
std::size_t taken_at_once(Alone& server, std::size_t most, std::string_view name, Add add) {
  for (std::size_t i = 0; i < most; ++i) {
    Frames frames;
    add(frames, i);
    const std::string_view verdict = server.verdict(frames);
    if (verdict == "ok") continue;
    EXPECT_EQ(verdict, name);
    return i;
  }
  return most;
}

TEST(MuxLimits, pings_come_in_a_burst_and_then_at_a_rate) {
  Alone server(Role::server);
  const auto ping = [](Frames& frames, std::size_t i) { frames.ping(i); };
  EXPECT_EQ(taken_at_once(server, kPingBurst, kPingFlood.name, ping), kPingBurst);
  server.now += 1s;
  EXPECT_EQ(taken_at_once(server, 100, kPingFlood.name, ping), kPingsPerSecond);
}

TEST(MuxLimits, reports_count_as_pings) {
  Alone server(Role::server);
  const auto report = [](Frames& frames, std::size_t) {
    frames.message(FrameType::report, 0, wire::Report{});
  };
  EXPECT_EQ(taken_at_once(server, 1'000, kPingFlood.name, report), kPingBurst);
}

TEST(MuxLimits, many_pings_make_one_pong) {
  Alone server(Role::server);
  Frames frames;
  for (std::uint64_t token = 1; token <= kPingBurst; ++token) frames.ping(token);
  ASSERT_TRUE(server.handle(frames).ok());
  const auto record = record_of(server.mux, Allowed::everything, server.now);
  ASSERT_EQ(frames_of(*record).size(), 1u);
  EXPECT_EQ(wire::parse_ping(frames_of(*record)[0].payload)->token, kPingBurst);
}

TEST(MuxLimits, answers_to_our_pings_are_never_too_many) {
  Pair pair;
  for (std::uint32_t i = 0; i < 2 * kPingBurst; ++i) {
    pair.client.ping();
    pair.now += 200ms;
    pair.settle();
  }
  EXPECT_EQ(only<PongReceived>(events(pair.client)).size(), 2 * kPingBurst);
}

TEST(MuxLimits, a_peer_may_reset_each_stream_once) {
  Alone server(Role::server);
  std::uint32_t stream = 0;
  const auto open_and_reset = [&](Frames& frames, std::size_t) {
    ++stream;
    frames.open(stream).reset(stream);
    server.said();
    events(server.mux);
  };
  EXPECT_EQ(taken_at_once(server, 10'000, "ok", open_and_reset), 10'000u);
  server.now += 1h;
  EXPECT_EQ(server.verdict(Frames().reset(1)), kResetFlood.name);
}

TEST(MuxLimits, a_peer_that_never_reads_our_answers_to_its_resets_runs_into_the_stream_limit) {
  Alone server(Role::server, {.streams = 100});
  const auto open_and_reset = [&](Frames& frames, std::size_t i) {
    const auto stream = static_cast<std::uint32_t>(i + 1);
    frames.open(stream).reset(stream);
    events(server.mux);
  };
  EXPECT_EQ(taken_at_once(server, 1'000, kTooManyStreams.name, open_and_reset), 100u);
}

TEST(MuxLimits, credits_come_for_what_was_sent_and_for_each_stream) {
  Alone server(Role::server);
  std::uint64_t limit = wire::kStreamWindowInitial;
  const auto credit = [&](Frames& frames, std::size_t) { frames.credit(1, 0, ++limit); };
  ASSERT_TRUE(server.handle(Frames().open(1).open(2).open(3)).ok());
  server.mux.accept(id(1), std::nullopt);
  const ByteVector bytes(10 * kBytesPerCredit);
  ASSERT_EQ(server.mux.send(id(1), bytes), bytes.size());
  server.said();
  server.now += 1h;
  EXPECT_EQ(taken_at_once(server, 10'000, kCreditFlood.name, credit), kCreditsOfLink + 3 + 10);
}

TEST(MuxLimits, one_byte_frames_cost_no_more_memory_than_their_bytes) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1)).ok());
  Frames record;
  for (std::size_t i = 0; i < wire::kPlaintextBytesMax / 9; ++i) record.data(1, "x");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(server.handle(record).ok());
  const std::size_t bytes = server.mux.received_bytes(id(1));
  EXPECT_EQ(bytes, 100 * (wire::kPlaintextBytesMax / 9));
  EXPECT_LE(server.budget.used(), bytes + ByteQueue::kChunkBytes);
  EXPECT_EQ(events(server.mux).size(), 2u);
}

TEST(MuxLimits, a_packet_is_as_long_as_a_record_and_no_longer) {
  Pair pair;
  ByteVector space(wire::kFramePayloadBytesMax);
  for (const std::size_t size : {wire::kFramePayloadBytesMax - 1, wire::kFramePayloadBytesMax}) {
    EXPECT_TRUE(pair.client.send_packet(ByteVector(size), pair.now).ok());
    pair.settle();
    EXPECT_EQ(pair.server.receive_packet(space), size);
  }
  const ByteVector too_long(wire::kFramePayloadBytesMax + 1);
  EXPECT_TRUE(pair.client.send_packet(too_long, pair.now).error().is(kPacketTooLong));

  const StreamId stream = *pair.client.open({});
  const std::size_t head = 1 + 4 + 2;
  const auto send = [&](std::size_t payload) {
    return pair.client.send_datagram(
        stream, {wire::Target{*IpAddress::parse("192.0.2.1"), 1}, ByteVector(payload)}, pair.now);
  };
  EXPECT_TRUE(send(wire::kFramePayloadBytesMax - head).ok());
  EXPECT_TRUE(send(wire::kFramePayloadBytesMax - head + 1).error().is(kPacketTooLong));
}

TEST(MuxLimits, a_full_packet_queue_drops_the_oldest) {
  Pair pair;
  constexpr std::size_t kEach = 1'000 + PacketQueue::kOverheadBytes;
  constexpr std::size_t kFit = kPacketQueueBytes / kEach;
  for (std::size_t i = 0; i < kFit + 5; ++i) {
    ByteVector packet(1'000);
    packet[0] = static_cast<std::uint8_t>(i);
    ASSERT_TRUE(pair.client.send_packet(packet, pair.now).ok());
    EXPECT_EQ(pair.client.counters().packets_out.dropped, i < kFit ? 0 : i + 1 - kFit);
  }
  EXPECT_LE(pair.budget.used(), kPacketQueueBytes + 2 * ByteQueue::kChunkBytes);
  pair.settle();
  ByteVector space(wire::kFramePayloadBytesMax);
  ASSERT_TRUE(pair.server.receive_packet(space));
  EXPECT_EQ(space[0], 5);
  EXPECT_EQ(only<PacketsReady>(events(pair.server)).size(), 1u);
}

TEST(MuxLimits, packets_that_nobody_reads_push_each_other_out) {
  Alone server(Role::server);
  const ByteVector packet(16'000);
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(server.handle(Frames().frame(FrameType::packet, 0, packet)).ok());
  }
  EXPECT_LE(server.budget.used(), kPacketQueueBytes + 2 * ByteQueue::kChunkBytes);
  EXPECT_GT(server.mux.counters().packets_not_read, 900u);
}

TEST(MuxLimits, the_datagrams_of_all_streams_share_a_bound) {
  Alone server(Role::server);
  const std::string payload(10'000, 'x');
  for (std::uint32_t stream = 1; stream <= 200; ++stream) {
    ASSERT_TRUE(server.handle(Frames().open(stream, {})).ok());
    server.mux.accept(id(stream), std::nullopt);
    const wire::Datagram datagram{wire::Target{"peer", 53}, as_bytes(payload)};
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(server.mux.send_datagram(id(stream), datagram, server.now).ok());
    }
    record_of(server.mux, Allowed::uncounted, server.now);
    ASSERT_TRUE(server.mux.blocked() == Blocked::ready);
    if (stream % 100 == 0) {
      EXPECT_LE(server.budget.used(), kLinkDatagramBytes + stream * 2 * ByteQueue::kChunkBytes);
    }
    // Only the answer, so that the next OPEN is not one too many.
    ByteVector space(64);
    server.mux.poll_record(space, Allowed::everything, server.now);
  }
  EXPECT_GT(server.mux.counters().packets_out.dropped, 200u * 20 - kLinkDatagramBytes / 10'000);
}

TEST(MuxLimits, memory_returns_to_where_it_was_after_a_flood_of_everything) {
  Pair pair;
  for (int round = 0; round < 3; ++round) {
    std::vector<StreamId> streams;
    for (int i = 0; i < 50; ++i) {
      streams.push_back(pair.connect());
      pair.client.send(streams.back(), ByteVector(100'000));
      pair.server.send(streams.back(), ByteVector(100'000));
    }
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(pair.client.send_packet(ByteVector(1'400), pair.now).ok());
    }
    pair.settle();
    EXPECT_GT(pair.budget.used(), 50u * 200'000);
    for (const StreamId stream : streams) pair.client.reset(stream, wire::ResetReason::cancelled);
    ByteVector space(wire::kFramePayloadBytesMax);
    while (pair.server.receive_packet(space)) {
    }
    pair.settle();
    events(pair.server);
    EXPECT_EQ(pair.budget.used(), 0u);
  }
}

}  // namespace
}  // namespace karst::stream::mux
