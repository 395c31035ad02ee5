// Honest work of any size is no flood.
#include <gtest/gtest.h>

#include <string>

#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"

namespace karst::stream::mux {
namespace {

constexpr std::uint32_t kStreams = 20'000;
constexpr std::uint32_t kAtOnce = 512;

// What becomes of a stream, by its number: most are a question and an answer.
enum class Fate : std::uint8_t { exchange, client_resets, server_resets, refused };
Fate fate_of(std::uint32_t number) {
  if (number % 7 == 0) return Fate::client_resets;
  if (number % 11 == 0) return Fate::server_resets;
  return number % 13 == 0 ? Fate::refused : Fate::exchange;
}

void serve(Pair& pair, StreamId stream) {
  switch (fate_of(static_cast<std::uint32_t>(stream))) {
    case Fate::refused:
      return pair.server.refuse(stream, wire::OpenCode::refused);
    case Fate::server_resets:
      return pair.server.reset(stream, wire::ResetReason::connection_reset);
    default:
      pair.server.accept(stream, std::nullopt);
      pair.server.send(stream, as_bytes("answer"));
      pair.server.finish(stream);
  }
}

TEST(MuxLoad, twenty_thousand_short_streams_in_bursts_are_no_flood) {
  Pair pair;  // whose clock stands still
  std::uint32_t answers = 0;
  while (pair.client.counters().streams_opened < kStreams) {
    for (std::uint32_t i = 0; i < kAtOnce; ++i) {
      const StreamId stream = *pair.client.open(tcp());
      pair.client.send(stream, as_bytes("question"));
      pair.client.finish(stream);
    }
    pair.settle();
    for (const Opened& opened : only<Opened>(events(pair.server))) {
      EXPECT_EQ(pair.read(pair.server, opened.stream), "question");
      serve(pair, opened.stream);
    }
    pair.settle();
    for (const Answered& answered : only<Answered>(events(pair.client))) {
      if (fate_of(static_cast<std::uint32_t>(answered.stream)) == Fate::client_resets) {
        pair.client.reset(answered.stream, wire::ResetReason::cancelled);
      } else if (pair.read(pair.client, answered.stream) == "answer") {
        ++answers;
      }
    }
    pair.settle();
    ASSERT_EQ(pair.client.status().streams, 0u);
    ASSERT_EQ(pair.server.status().streams, 0u);
  }
  EXPECT_GT(answers, kStreams / 2);
  EXPECT_GT(pair.client.counters().resets_received, kStreams / 20);
  EXPECT_GT(pair.server.counters().resets_received, kStreams / 10);
  EXPECT_EQ(pair.budget.used(), 0u);
}

// A reader that takes a byte at a time gives no more CREDIT for it.
TEST(MuxLoad, many_large_streams_read_in_crumbs_are_no_flood) {
  Pair pair;
  std::uint64_t sent = 0;
  const ByteVector bytes(50'000);
  for (int round = 0; round < 20; ++round) {
    std::vector<StreamId> streams;
    for (int i = 0; i < 100; ++i) streams.push_back(pair.connect());
    for (const StreamId stream : streams) {
      sent += pair.server.send(stream, bytes);
      pair.settle();
      Bytes run;
      while (pair.client.received(stream, {&run, 1}) == 1) {
        pair.client.consume_received(stream, std::min<std::size_t>(run.size(), 700), pair.now);
        pair.settle();
      }
      pair.client.finish(stream);
      pair.server.finish(stream);
    }
    pair.settle();
    ASSERT_EQ(pair.client.status().streams, 0u);
  }
  EXPECT_EQ(pair.client.counters().data_bytes_received, sent);
}

}  // namespace
}  // namespace karst::stream::mux
