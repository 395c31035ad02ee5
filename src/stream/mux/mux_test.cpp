#include "stream/mux/mux.h"

#include <gtest/gtest.h>

#include "stream/mux/error.h"
#include "stream/mux/test_pair.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

TEST(Mux, a_request_travels_with_its_open_in_one_record) {
  Pair pair;
  const StreamId stream = *pair.client.open(tcp("example.org", 80));
  EXPECT_EQ(pair.client.send(stream, as_bytes("GET /")), 5u);
  ASSERT_TRUE(pair.move(pair.client, pair.server));
  const auto seen = events(pair.server);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::get<Opened>(seen[0]).open, tcp("example.org", 80));
  EXPECT_EQ(std::get<Readable>(seen[1]).stream, stream);
  EXPECT_EQ(pair.read(pair.server, stream), "GET /");
}

TEST(Mux, the_answer_brings_the_bound_address) {
  Pair pair;
  const StreamId stream = *pair.client.open(tcp());
  pair.settle();
  const Endpoint bound = *Endpoint::parse("192.0.2.7:1234");
  pair.server.accept(stream, bound);
  pair.settle();
  const auto answers = only<Answered>(events(pair.client));
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].result, (wire::OpenResult{wire::OpenCode::ok, bound}));
}

TEST(Mux, a_refused_stream_is_gone_on_both_sides) {
  Pair pair;
  const StreamId stream = *pair.client.open(tcp());
  pair.client.send(stream, as_bytes("too early"));
  pair.settle();
  pair.server.refuse(stream, wire::OpenCode::name_not_found);
  pair.settle();
  const auto seen = events(pair.client);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(std::get<Answered>(seen[0]).result.code, wire::OpenCode::name_not_found);
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_EQ(pair.budget.used(), 0u);
}

TEST(Mux, a_server_sends_nothing_on_a_stream_that_it_has_not_accepted) {
  Pair pair;
  const StreamId stream = *pair.client.open(tcp());
  pair.settle();
  EXPECT_EQ(pair.server.send_room(stream), 0u);
  EXPECT_EQ(pair.server.send(stream, as_bytes("early")), 0u);
  pair.server.accept(stream, std::nullopt);
  EXPECT_EQ(pair.server.send(stream, as_bytes("late")), 4u);
  pair.settle();
  EXPECT_EQ(pair.read(pair.client, stream), "late");
}

TEST(Mux, each_direction_ends_on_its_own) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.send(stream, as_bytes("question"));
  pair.client.finish(stream);
  pair.settle();
  const auto seen = events(pair.server);
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_EQ(std::get<Readable>(seen[0]).stream, stream);
  EXPECT_FALSE(std::get<Finished>(seen[1]).at_end);
  EXPECT_EQ(pair.read(pair.server, stream), "question");
  EXPECT_TRUE(pair.server.at_end(stream));

  pair.server.send(stream, as_bytes("answer"));
  pair.settle();
  EXPECT_EQ(pair.read(pair.client, stream), "answer");
  EXPECT_FALSE(pair.client.at_end(stream));
  pair.server.finish(stream);
  pair.settle();
  EXPECT_TRUE(only<Finished>(events(pair.client)).at(0).at_end);
  pair.settle();
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_EQ(pair.budget.used(), 0u);
}

TEST(Mux, an_end_is_told_even_if_the_stream_closes_at_once) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.finish(stream);
  pair.server.finish(stream);
  pair.settle();
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_TRUE(only<Finished>(events(pair.server)).at(0).at_end);
  EXPECT_TRUE(only<Finished>(events(pair.client)).at(0).at_end);
}

TEST(Mux, a_reset_drops_what_is_queued_on_both_sides) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.send(stream, as_bytes("lost"));
  pair.settle();
  pair.server.send(stream, as_bytes("lost too"));
  events(pair.server);
  pair.client.reset(stream, wire::ResetReason::cancelled);
  pair.settle();
  const auto seen = events(pair.server);
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_EQ(std::get<Ended>(seen[0]).reason, wire::ResetReason::cancelled);
  EXPECT_EQ(std::get<Ended>(seen[0]).by, Side::peer);
  EXPECT_EQ(pair.read(pair.server, stream), "");
  EXPECT_TRUE(events(pair.client).empty());
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_EQ(pair.budget.used(), 0u);
}

TEST(Mux, a_stream_that_was_reset_never_looks_like_one_that_was_read_to_its_end) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.send(stream, as_bytes("bytes that were never read"));
  pair.client.finish(stream);
  pair.settle();
  pair.client.reset(stream, wire::ResetReason::connection_reset);
  pair.settle();
  EXPECT_FALSE(pair.server.at_end(stream));
  const auto seen = events(pair.server);
  EXPECT_TRUE(only<Finished>(seen).empty());
  EXPECT_EQ(only<Ended>(seen).size(), 1u);
}

TEST(Mux, resets_from_both_sides_that_cross_close_the_stream) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.reset(stream, wire::ResetReason::cancelled);
  pair.server.reset(stream, wire::ResetReason::timed_out);
  pair.settle();
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_TRUE(events(pair.client).empty());
  EXPECT_TRUE(events(pair.server).empty());
}

TEST(Mux, what_crosses_a_reset_is_ignored) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1)).ok());
  server.mux.accept(id(1), std::nullopt);
  server.mux.reset(id(1), wire::ResetReason::timed_out);
  EXPECT_EQ(server.said(), "OPEN_RESULT 1, RESET 1");
  events(server.mux);
  // Sent before the peer has seen our RESET.
  ASSERT_TRUE(server.handle(Frames().data(1, "x").credit(1, 0, 2 << 20).fin(1, 1)).ok());
  EXPECT_TRUE(events(server.mux).empty());
  EXPECT_EQ(server.mux.status().streams, 0u);
  // Now it is closed, and only these may still come.
  EXPECT_TRUE(server.handle(Frames().credit(1, 0, 3 << 20).reset(1)).ok());
  EXPECT_EQ(server.said(), "");
}

TEST(Mux, small_writes_of_many_streams_share_a_record) {
  Pair pair;
  std::vector<StreamId> streams;
  for (int i = 0; i < 10; ++i) streams.push_back(pair.connect());
  for (const StreamId stream : streams) pair.client.send(stream, as_bytes("x"));
  ASSERT_TRUE(pair.move(pair.client, pair.server));
  EXPECT_EQ(only<Readable>(events(pair.server)).size(), 10u);
  EXPECT_FALSE(pair.move(pair.client, pair.server));
}

TEST(Mux, a_request_beside_eight_saturating_streams_goes_out_first_in_the_next_record) {
  Pair pair;
  std::vector<StreamId> bulk;
  for (int i = 0; i < 8; ++i) bulk.push_back(pair.connect());
  const StreamId small = pair.connect();
  const ByteVector block(64 * 1024);
  for (int i = 0; i < 50; ++i) {
    for (const StreamId stream : bulk) pair.client.send(stream, block);
    record_of(pair.client, Allowed::everything, pair.now);
  }
  for (int i = 0; i < 20; ++i) {
    pair.client.send(small, ByteVector(64));
    const auto record = record_of(pair.client, Allowed::everything, pair.now);
    const auto frames = frames_of(*record);
    EXPECT_EQ(frames[0].stream, small);
    EXPECT_EQ(frames[0].payload.size(), 64u);
    EXPECT_GT(frames.size(), 1u);
  }
}

TEST(Mux, datagrams_keep_their_bounds_and_their_peers) {
  Pair pair;
  const StreamId stream = *pair.client.open({});
  const wire::Target name{"dns.example", 53};
  const wire::Target address{*IpAddress::parse("192.0.2.9"), 4'000};
  ASSERT_TRUE(pair.client.send_datagram(stream, {name, as_bytes("query")}, pair.now).ok());
  ASSERT_TRUE(pair.client.send_datagram(stream, {address, {}}, pair.now).ok());
  pair.settle();
  pair.server.accept(stream, Endpoint{});
  EXPECT_EQ(only<Readable>(events(pair.server)).size(), 1u);
  ByteVector space(wire::kFramePayloadBytesMax);
  const auto first = pair.server.receive_datagram(stream, space);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->peer, name);
  EXPECT_EQ(as_text(first->payload), "query");
  const auto second = pair.server.receive_datagram(stream, space);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->peer, address);
  EXPECT_TRUE(second->payload.empty());
  EXPECT_FALSE(pair.server.receive_datagram(stream, space));

  ASSERT_TRUE(pair.server.send_datagram(stream, {address, as_bytes("answer")}, pair.now).ok());
  pair.server.finish(stream);
  pair.settle();
  const auto answer = pair.client.receive_datagram(stream, space);
  ASSERT_TRUE(answer);
  EXPECT_EQ(as_text(answer->payload), "answer");
  pair.client.finish(stream);
  pair.settle();
  EXPECT_EQ(pair.client.status().streams, 0u);
  EXPECT_EQ(pair.server.status().streams, 0u);
  EXPECT_EQ(pair.budget.used(), 0u);
}

TEST(Mux, packets_that_wait_too_long_are_dropped_by_codel) {
  Pair pair;
  for (int i = 0; i < 400; ++i) {
    ASSERT_TRUE(pair.client.send_packet(ByteVector(1'400), pair.now).ok());
    ASSERT_TRUE(pair.client.send_packet(ByteVector(1'400), pair.now).ok());
    pair.now += 1ms;
    ByteVector space(1'500);
    ASSERT_TRUE(pair.client.poll_record(space, Allowed::everything, pair.now));
  }
  const PacketCounts& counts = pair.client.counters().packets_out;
  EXPECT_EQ(counts.sent, 400u);
  EXPECT_GE(counts.dropped, 5u);
  EXPECT_LE(counts.dropped, 20u);
}

TEST(Mux, the_first_records_of_a_link_are_small_and_later_ones_full) {
  Pair pair;
  const StreamId stream = *pair.client.open(tcp());
  const ByteVector bytes(200'000);
  ASSERT_EQ(pair.client.send(stream, bytes), bytes.size());
  std::size_t sent = 0;
  while (sent < kEarlyBytes) {
    const auto record = record_of(pair.client, Allowed::everything, pair.now);
    EXPECT_LE(record->size(), kEarlyRecordBytes);
    sent += record->size();
  }
  EXPECT_EQ(record_of(pair.client, Allowed::everything, pair.now)->size(),
            wire::kPlaintextBytesMax);
}

TEST(Mux, a_record_fits_into_whatever_space_it_is_given) {
  Pair pair;
  const StreamId stream = pair.connect();
  for (std::size_t space = 0; space < 2'000; ++space) {
    pair.client.send(stream, ByteVector(2'000));
    pair.read(pair.server, stream);
    pair.move(pair.server, pair.client);
    ByteVector bytes(space);
    const auto record = pair.client.poll_record(bytes, Allowed::everything, pair.now);
    if (record) {
      EXPECT_LE(record->size, space);
      EXPECT_TRUE(pair.server.handle_record(Bytes(bytes).first(record->size), pair.now).ok());
    }
    EXPECT_EQ(record.has_value(), space > wire::kFrameHeaderBytes + 63) << space;
  }
}

TEST(Mux, under_a_spent_epoch_only_uncounted_frames_go) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.send(stream, ByteVector(wire::kStreamWindowInitial));
  pair.settle();
  pair.server.send(stream, as_bytes("waits"));
  pair.read(pair.server, stream);
  pair.server.ping();
  const auto record = record_of(pair.server, Allowed::uncounted, pair.now);
  ASSERT_TRUE(record);
  ASSERT_TRUE(pair.client.handle_record(*record, pair.now).ok());
  EXPECT_FALSE(record_of(pair.server, Allowed::uncounted, pair.now));
  EXPECT_EQ(pair.client.received_bytes(stream), 0u);
  EXPECT_EQ(pair.server.blocked(), Blocked::ready);
  pair.settle();
  EXPECT_EQ(pair.read(pair.client, stream), "waits");
}

TEST(Mux, a_ping_is_answered_and_timed) {
  Pair pair;
  pair.client.ping();
  pair.client.ping();
  ASSERT_TRUE(pair.move(pair.client, pair.server));
  EXPECT_FALSE(pair.move(pair.client, pair.server));
  pair.now += 42ms;
  pair.settle();
  const auto pongs = only<PongReceived>(events(pair.client));
  ASSERT_EQ(pongs.size(), 1u);
  EXPECT_EQ(pongs[0].round_trip, 42ms);
}

TEST(Mux, after_going_away_new_streams_end_and_old_ones_live) {
  Pair pair;
  const StreamId old = pair.connect();
  const StreamId crossing = *pair.client.open(tcp());
  pair.server.go_away(wire::GoAwayReason::shutdown);
  pair.settle();
  EXPECT_TRUE(events(pair.server).empty());
  const auto seen = events(pair.client);
  EXPECT_EQ(only<GoingAway>(seen).at(0).goaway, (wire::GoAway{wire::GoAwayReason::shutdown, old}));
  EXPECT_EQ(only<Ended>(seen).at(0).stream, crossing);
  EXPECT_EQ(only<Ended>(seen).at(0).reason, wire::ResetReason::going_away);
  EXPECT_TRUE(pair.client.open(tcp()).error().is(kGoingAway));
  pair.client.send(old, as_bytes("still here"));
  pair.settle();
  EXPECT_EQ(pair.read(pair.server, old), "still here");
}

TEST(Mux, a_report_rides_only_in_a_counted_record) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.server.set_report({"cubic", {}});
  pair.server.set_report({"bbr", {}});
  EXPECT_FALSE(record_of(pair.server, Allowed::everything, pair.now));
  pair.server.send(stream, as_bytes("x"));
  pair.settle();
  const auto reports = only<Reported>(events(pair.client));
  ASSERT_EQ(reports.size(), 1u);
  EXPECT_EQ(reports[0].report.congestion_control, "bbr");
}

TEST(Mux, offsets_number_the_bytes_of_a_stream_in_both_directions) {
  Pair pair;
  const StreamId stream = pair.connect();
  pair.client.send(stream, ByteVector(100'000));
  pair.client.finish(stream);
  pair.settle();
  EXPECT_EQ(pair.server.status(stream)->received, 100'000u);
  EXPECT_EQ(pair.client.status(stream)->sent, 100'000u);
  EXPECT_EQ(pair.client.status(stream)->taken_by_peer, 0u);
  pair.read(pair.server, stream);
  pair.settle();
  EXPECT_EQ(pair.server.status(stream)->taken, 100'000u);
  EXPECT_EQ(pair.client.status(stream)->taken_by_peer, 100'000u);
}

TEST(Mux, a_user_that_reads_without_being_told_is_told_once) {
  Pair pair;
  const StreamId stream = pair.connect();
  for (int i = 0; i < 100; ++i) {
    pair.client.send(stream, as_bytes("x"));
    pair.settle();
    EXPECT_EQ(pair.read(pair.server, stream), "x");
  }
  EXPECT_EQ(events(pair.server).size(), 1u);
  pair.client.send(stream, as_bytes("x"));
  pair.settle();
  EXPECT_EQ(events(pair.server).size(), 1u);
}

TEST(Mux, a_server_may_end_a_stream_instead_of_answering) {
  Pair pair({.streams = 1});
  for (int i = 0; i < 10; ++i) {
    const StreamId stream = *pair.client.open(tcp());
    pair.client.send(stream, as_bytes("hello"));
    pair.client.finish(stream);
    pair.settle();
    events(pair.server);
    pair.server.reset(stream, wire::ResetReason::timed_out);
    pair.settle();
    EXPECT_EQ(only<Ended>(events(pair.client)).at(0).reason, wire::ResetReason::timed_out);
    EXPECT_TRUE(events(pair.server).empty());
  }
}

TEST(Mux, an_unknown_stream_can_be_named_without_harm) {
  Pair pair;
  const StreamId stream = id(77);
  EXPECT_EQ(pair.client.send(stream, as_bytes("x")), 0u);
  pair.client.finish(stream);
  pair.client.reset(stream, wire::ResetReason::cancelled);
  pair.client.consume_received(stream, 0, pair.now);
  pair.client.commit_send(stream, 0);
  EXPECT_TRUE(pair.client.prepare_send(stream).empty());
  EXPECT_FALSE(pair.client.at_end(stream));
  EXPECT_FALSE(pair.client.status(stream));
  EXPECT_EQ(pair.client.blocked(stream), Blocked::idle);
  pair.server.accept(stream, std::nullopt);
  pair.server.refuse(stream, wire::OpenCode::internal);
  EXPECT_FALSE(record_of(pair.client, Allowed::everything, pair.now));
}

TEST(Mux, after_an_error_there_is_one_goaway_and_then_silence) {
  Alone server(Role::server);
  ASSERT_TRUE(server.handle(Frames().open(1).data(1, "held")).ok());
  server.mux.accept(id(1), std::nullopt);
  server.mux.send(id(1), as_bytes("queued"));
  EXPECT_EQ(server.verdict(Frames().data(9, "x")), kStreamUnknown.name);
  EXPECT_EQ(server.budget.used(), 0u);
  EXPECT_TRUE(events(server.mux).empty());
  EXPECT_EQ(server.said(), "GOAWAY");
  EXPECT_EQ(server.said(), "");
  EXPECT_EQ(server.verdict(Frames().ping(1)), kStreamUnknown.name);
  EXPECT_EQ(server.said(), "");
}

}  // namespace
}  // namespace karst::stream::mux
