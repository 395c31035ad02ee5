// What a stream's sending direction waits for, moment by moment.
#include <gtest/gtest.h>

#include <numeric>

#include "stream/mux/mux.h"
#include "stream/mux/test_pair.h"

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

Duration of(const WaitAccount& waits, Wait wait, TimePoint now) {
  return waits.total(now)[static_cast<std::size_t>(wait)];
}

struct Waits : Pair {
  using Pair::Pair;

  void pass(Duration time) {
    now += time;
    server.tell_time(now);
  }
  WaitAccount waits(StreamId stream) const { return server.status(stream)->waits; }
  // Until the server can send no more; nobody reads.
  void pour(StreamId stream) {
    const ByteVector block(64 * 1024);
    while (server.send(stream, block) > 0) {
      while (move(server, client)) {
      }
    }
  }
};

TEST(MuxWaits, each_moment_of_a_stream_goes_to_what_it_waited_for) {
  Waits pair;
  const StreamId stream = pair.connect();
  pair.pass(3s);
  pair.server.send(stream, ByteVector(100));
  EXPECT_EQ(pair.waits(stream).current(), Wait::link);
  pair.pass(2s);
  pair.settle();
  EXPECT_EQ(pair.waits(stream).current(), Wait::application);
  pair.pass(1s);
  pair.pour(stream);
  EXPECT_EQ(pair.waits(stream).current(), Wait::stream_credit);
  pair.pass(5s);
  EXPECT_EQ(of(pair.waits(stream), Wait::application, pair.now), 4s);
  EXPECT_EQ(of(pair.waits(stream), Wait::link, pair.now), 2s);
  EXPECT_EQ(of(pair.waits(stream), Wait::stream_credit, pair.now), 5s);
  const auto shares = WaitAccount::shares(pair.waits(stream).total(pair.now));
  EXPECT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-9);
}

TEST(MuxWaits, a_stream_that_has_sent_its_last_is_not_busy) {
  Waits pair;
  const StreamId stream = pair.connect();
  pair.pass(1s);
  pair.server.finish(stream);
  pair.settle();
  pair.pass(9s);
  EXPECT_EQ(pair.waits(stream).current(), Wait::nothing);
  EXPECT_EQ(of(pair.waits(stream), Wait::application, pair.now), 1s);
}

TEST(MuxWaits, where_the_links_credit_is_used_up_that_is_what_is_waited_for) {
  Waits pair;
  std::vector<StreamId> streams;
  do {
    streams.push_back(pair.connect());
    pair.pour(streams.back());
  } while (pair.waits(streams.back()).current() != Wait::link_credit && streams.size() < 100);
  pair.pass(4s);
  EXPECT_EQ(of(pair.waits(streams.back()), Wait::link_credit, pair.now), 4s);
  EXPECT_EQ(of(pair.waits(streams.front()), Wait::link_credit, pair.now), 0s);
}

}  // namespace
}  // namespace karst::stream::mux
