// Who may send how much, and that nobody stops anybody else.
#include <gtest/gtest.h>

#include <vector>

#include "stream/mux/error.h"
#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMiB = 1 << 20;
constexpr std::size_t kPrivate = wire::kStreamPrivateBytes;

// The server sends and the client reads, or does not.
struct Download : Pair {
  using Pair::Pair;

  // Sends until the server can send no more or `count` bytes are sent; returns how many were.
  std::size_t pour(StreamId stream, std::size_t count, bool read_them) {
    const ByteVector block(64 * 1024);
    std::size_t sent = 0;
    for (bool moving = true; moving && sent < count;) {
      const std::size_t want = std::min(block.size(), count - sent);
      const std::size_t taken = server.send(stream, Bytes(block).first(want));
      sent += taken;
      moving = taken > 0;
      while (move(server, client) || (read_them && !read(client, stream).empty()) ||
             move(client, server)) {
        moving = true;
      }
    }
    return sent;
  }
  // Makes the stream's window as large as it becomes.
  void warm_up(StreamId stream, const Limits& limits) {
    pour(stream, 4 * limits.stream_window, true);
  }
};

constexpr Limits kSmall{.stream_window = 12 * kMiB, .link_window = 16 * kMiB};
// What one stream alone may have taken and not said.
constexpr std::size_t kUnsaid = kSmall.link_window / 16;

TEST(MuxCredit, a_stream_that_nobody_reads_stops_at_its_window_and_says_why) {
  Download pair;
  const StreamId stream = pair.connect();
  pair.pour(stream, 3 * kMiB, false);
  EXPECT_EQ(pair.client.received_bytes(stream), wire::kStreamWindowInitial);
  EXPECT_EQ(pair.server.blocked(stream), Blocked::stream_credit);
  EXPECT_EQ(pair.server.blocked(), Blocked::stream_credit);
  EXPECT_EQ(pair.server.counters().stream_credit_stalls, 1u);
  EXPECT_EQ(pair.server.status().send_queued_bytes, kSendQueueBytes);
  EXPECT_EQ(pair.server.send_room(stream), 0u);
}

TEST(MuxCredit, credit_goes_back_only_for_what_the_sink_has_taken) {
  Download pair;
  const StreamId stream = pair.connect();
  pair.pour(stream, 3 * kMiB, false);
  // Until half of the window is taken it does not grow.
  constexpr std::size_t kTaken = 300 * 1024;
  pair.client.consume_received(stream, kTaken, pair.now);
  pair.settle();
  EXPECT_EQ(pair.server.status(stream)->taken_by_peer, kTaken);
  EXPECT_EQ(pair.server.status(stream)->send_limit, kTaken + wire::kStreamWindowInitial);
}

TEST(MuxCredit, a_writable_follows_when_there_is_room_again) {
  Download pair;
  const StreamId stream = pair.connect();
  pair.pour(stream, 3 * kMiB, false);
  EXPECT_TRUE(pair.server.prepare_send(stream).empty());
  events(pair.server);
  pair.read(pair.client, stream);
  pair.settle();
  const auto writable = only<Writable>(events(pair.server));
  ASSERT_EQ(writable.size(), 1u);
  EXPECT_EQ(writable[0].stream, stream);
  EXPECT_EQ(pair.server.send_room(stream), kSendQueueBytes);
}

TEST(MuxCredit, a_window_that_never_opens_holds_one_send_queue_and_nothing_more) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1)).ok());
  server.mux.accept(id(1), std::nullopt);
  const ByteVector block(64 * 1024);
  for (int i = 0; i < 100; ++i) {
    server.mux.send(id(1), block);
    server.said();
  }
  EXPECT_EQ(server.mux.status(id(1))->sent, wire::kStreamWindowInitial);
  EXPECT_EQ(server.mux.status().send_queued_bytes, kSendQueueBytes);
  EXPECT_LE(server.budget.used(), kSendQueueBytes + ByteQueue::kChunkBytes);
  server.mux.reset(id(1), wire::ResetReason::timed_out);
  EXPECT_EQ(server.budget.used(), 0u);
}

TEST(MuxCredit, windows_grow_to_their_limits_while_the_reader_keeps_up_and_no_further) {
  Download pair(kSmall);
  const StreamId stream = pair.connect();
  pair.warm_up(stream, kSmall);
  EXPECT_EQ(pair.client.status(stream)->receive_window, kSmall.stream_window);
  EXPECT_EQ(pair.client.status().receive_window, kSmall.link_window);
  EXPECT_EQ(pair.server.status().send_window, kSmall.link_window);
  pair.pour(stream, 100 * kMiB, false);
  EXPECT_LE(pair.client.received_bytes(stream), kSmall.stream_window);
  EXPECT_GT(pair.client.received_bytes(stream), kSmall.stream_window - kUnsaid);
}

TEST(MuxCredit, a_stalled_reader_with_the_largest_window_leaves_its_neighbours_their_speed) {
  Download pair;
  const StreamId stalled = pair.connect();
  const StreamId neighbour = pair.connect();
  pair.warm_up(stalled, Limits{});
  pair.pour(stalled, 300 * kMiB, false);
  ASSERT_GT(pair.client.received_bytes(stalled), Limits{}.stream_window * 9 / 10);

  EXPECT_EQ(pair.pour(neighbour, 200 * kMiB, true), 200 * kMiB);
  EXPECT_EQ(pair.server.counters().link_credit_stalls, 0u);
  // 1 Gbit/s times 210 ms is 26.25 MB; three quarters of what is left are 24 MiB.
  EXPECT_GE(pair.client.status(neighbour)->receive_window, 24 * kMiB);
}

TEST(MuxCredit, streams_that_stall_one_after_another_never_stop_the_next) {
  Download pair(kSmall);
  for (int i = 0; i < 12; ++i) {
    const StreamId stalled = pair.connect();
    pair.pour(stalled, 50 * kMiB, true);
    pair.pour(stalled, 50 * kMiB, false);
  }
  const StreamId next = pair.connect();
  EXPECT_EQ(pair.pour(next, 50 * kMiB, true), 50 * kMiB);
}

TEST(MuxCredit, streams_that_stall_together_with_large_windows_never_stop_another) {
  Download pair(kSmall);
  std::vector<StreamId> stalled;
  for (int i = 0; i < 5; ++i) {
    stalled.push_back(pair.connect());
    pair.warm_up(stalled.back(), kSmall);
  }
  for (const StreamId stream : stalled) pair.pour(stream, 50 * kMiB, false);
  ASSERT_EQ(pair.server.blocked(), Blocked::link_credit);
  EXPECT_EQ(pair.server.blocked(stalled.back()), Blocked::link_credit);
  EXPECT_GT(pair.server.counters().link_credit_stalls, 0u);
  EXPECT_LE(pair.client.status().receive_queued_bytes, kSmall.link_window + 5 * kPrivate);
  EXPECT_GT(pair.client.status().receive_queued_bytes, kSmall.link_window * 9 / 10);

  const StreamId next = pair.connect();
  EXPECT_EQ(pair.pour(next, 50 * kMiB, true), 50 * kMiB);
  // And once they are read again they go on.
  for (const StreamId stream : stalled) EXPECT_EQ(pair.pour(stream, 50 * kMiB, true), 50 * kMiB);
}

TEST(MuxCredit, idle_streams_that_once_were_fast_cost_their_neighbours_nothing) {
  Download pair(kSmall);
  for (int i = 0; i < 20; ++i) pair.warm_up(pair.connect(), kSmall);
  const StreamId next = pair.connect();
  pair.warm_up(next, kSmall);
  EXPECT_GT(pair.client.status(next)->receive_window, kSmall.stream_window * 9 / 10);
  EXPECT_EQ(pair.server.counters().link_credit_stalls, 0u);
}

TEST(MuxCredit, what_nobody_has_said_to_be_taken_never_uses_up_the_link) {
  // Streams come one by one, and each is left with almost as much as would be said.
  Download pair(kSmall);
  for (int i = 0; i < 1'000; ++i) {
    const StreamId stream = pair.connect();
    std::size_t said_after = 0;
    while (pair.server.status(stream)->taken_by_peer == 0 && said_after < 2 * kMiB) {
      pair.now += 1s;  // so that no window grows, which would be said at once
      said_after += pair.pour(stream, 1'024, true);
    }
    const std::uint64_t said = pair.server.status(stream)->taken_by_peer;
    pair.now += 1s;
    pair.pour(stream, said_after - 2'048, true);
    ASSERT_EQ(pair.server.status(stream)->taken_by_peer, said);
  }
  EXPECT_EQ(pair.server.counters().link_credit_stalls, 0u);
}

TEST(MuxCredit, a_larger_window_of_the_link_lets_waiting_streams_go_on) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1).credit(1, 0, 100 * kMiB)).ok());
  server.mux.accept(id(1), std::nullopt);
  const ByteVector block(64 * 1024);
  const auto pour = [&] {
    while (server.mux.send(id(1), block) > 0) server.said();
    return server.mux.status(id(1))->sent;
  };
  EXPECT_EQ(pour(), wire::kLinkWindowInitial + kPrivate);
  EXPECT_EQ(server.mux.blocked(id(1)), Blocked::link_credit);
  ASSERT_TRUE(server.handle(Frames().link_credit(wire::kLinkWindowInitial + kMiB)).ok());
  EXPECT_EQ(server.mux.blocked(id(1)), Blocked::ready);
  server.said();
  EXPECT_EQ(pour(), wire::kLinkWindowInitial + kPrivate + kMiB);
}

TEST(MuxCredit, a_reset_stream_gives_its_share_of_the_link_back_to_both_sides) {
  Download pair(kSmall);
  std::vector<StreamId> stalled;
  for (int i = 0; i < 5; ++i) {
    stalled.push_back(pair.connect());
    pair.warm_up(stalled.back(), kSmall);
  }
  for (const StreamId stream : stalled) pair.pour(stream, 50 * kMiB, false);
  ASSERT_EQ(pair.server.blocked(stalled.back()), Blocked::link_credit);
  // By the reader, by the writer.
  pair.client.reset(stalled[0], wire::ResetReason::cancelled);
  pair.settle();
  EXPECT_NE(pair.server.blocked(stalled.back()), Blocked::link_credit);
  pair.server.reset(stalled[1], wire::ResetReason::cancelled);
  pair.settle();
  const StreamId next = pair.connect();
  pair.warm_up(next, kSmall);
  EXPECT_GT(pair.client.status(next)->receive_window, wire::kStreamWindowInitial);
}

TEST(MuxCredit, the_send_queues_of_a_link_share_a_bound_and_each_keeps_its_chunk) {
  Pair pair;
  const ByteVector block(kSendQueueBytes);
  std::size_t total = 0;
  std::vector<StreamId> streams;
  for (int i = 0; i < 200; ++i) streams.push_back(*pair.client.open(tcp()));
  for (const StreamId stream : streams) {
    const std::size_t sent = pair.client.send(stream, block);
    EXPECT_GE(sent, ByteQueue::kChunkBytes);
    total += sent;
  }
  EXPECT_GE(total, kLinkSendQueueBytes);
  EXPECT_LE(total, kLinkSendQueueBytes + 200 * ByteQueue::kChunkBytes);
}

TEST(MuxCredit, windows_stop_growing_when_memory_is_short) {
  Download pair;
  MemoryCharge others(pair.budget);
  others.set(pair.budget.limit() - 8 * kMiB);
  const StreamId stream = pair.connect();
  pair.warm_up(stream, kSmall);
  EXPECT_LE(pair.client.status(stream)->receive_window, 2 * kMiB);
  others.set(pair.budget.limit());
  pair.pour(stream, 10 * kMiB, true);
  EXPECT_EQ(pair.client.status(stream)->receive_window, kPrivate);
  others.set(0);
  pair.warm_up(stream, Limits{});
  EXPECT_EQ(pair.client.status(stream)->receive_window, Limits{}.stream_window);
}

TEST(MuxCredit, a_small_window_that_grows_is_told_after_16_KiB_and_not_before) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1)).ok());
  server.mux.accept(id(1), std::nullopt);
  const auto take = [&](std::size_t count) {
    for (std::size_t left = count; left > 0;) {
      const std::size_t part = std::min<std::size_t>(left, 8'192);
      EXPECT_TRUE(server.handle(Frames().data(1, part)).ok());
      server.mux.consume_received(id(1), part, server.now);
      left -= part;
    }
    return server.said().find("CREDIT 1") != std::string::npos;
  };
  MemoryCharge others(server.budget);
  others.set(server.budget.limit());
  EXPECT_TRUE(take(wire::kStreamWindowInitial));
  ASSERT_EQ(server.mux.status(id(1))->receive_window, kPrivate);
  others.set(0);
  EXPECT_FALSE(take(kBytesBetweenCredits / 2));
  ASSERT_GT(server.mux.status(id(1))->receive_window, kPrivate);
  EXPECT_TRUE(take(kBytesBetweenCredits / 2));
}

TEST(MuxCredit, when_memory_runs_out_the_stream_that_holds_most_ends_and_no_other) {
  Download pair;
  const StreamId small = pair.connect();
  const StreamId large = pair.connect();
  const StreamId larger = pair.connect();
  pair.pour(small, kPrivate - 2'000, false);
  pair.pour(large, 200'000, false);
  pair.pour(larger, 400'000, false);
  events(pair.client);
  MemoryCharge others(pair.budget);
  others.set(pair.budget.limit());
  pair.pour(small, 1'000, false);
  const auto ended = only<Ended>(events(pair.client));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].stream, larger);
  EXPECT_EQ(ended[0].reason, wire::ResetReason::memory);
  EXPECT_EQ(ended[0].by, Side::us);
  EXPECT_EQ(only<Ended>(events(pair.server)).at(0).stream, larger);
  EXPECT_EQ(pair.read(pair.client, large).size(), 200'000u);
  // Streams within their private bytes are never the ones to pay.
  pair.pour(small, 1'000, false);
  EXPECT_EQ(pair.read(pair.client, small).size(), kPrivate);
}

}  // namespace
}  // namespace karst::stream::mux
