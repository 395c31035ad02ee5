// Credit: who may send how much, and when it comes back.
#include <gtest/gtest.h>

#include "stream/http2/http2_pair.h"
#include "stream/http2/receive_window.h"

namespace karst::stream::http2 {
namespace {

// A client that has more to send than any window allows, and a server that has not read yet.
struct Upload {
  SessionPair pair;
  MessageQueue up;
  StreamId id = 0;

  explicit Upload(const ServerSettings& settings) : pair({}, settings) {
    for (int i = 0; i < 200; ++i) up.push(ByteVector(16'375));
    id = *pair.client.request(connect_request(), &up);
    pair.carry();
  }
  std::size_t received() { return pair.server_saw.bodies[id].size(); }
  void consume(std::size_t count) {
    pair.server.consume(id, count);
    pair.carry();
  }
};

TEST(Window, a_sender_stops_at_the_streams_window_and_can_tell_so) {
  Upload upload({.stream_window = 100'000, .connection_window = 1'000'000});
  EXPECT_EQ(upload.received(), 100'000u);
  EXPECT_EQ(upload.pair.client.remote_window(upload.id), 0);
  EXPECT_EQ(upload.pair.client.remote_window(kConnection), 900'000);
  EXPECT_EQ(upload.pair.server.local_window(upload.id), 100'000);
}

TEST(Window, a_sender_stops_at_the_connections_window_and_can_tell_so) {
  Upload upload({.stream_window = 1'000'000, .connection_window = 100'000});
  EXPECT_EQ(upload.received(), 100'000u);
  EXPECT_EQ(upload.pair.client.remote_window(kConnection), 0);
  EXPECT_EQ(upload.pair.client.remote_window(upload.id), 900'000);
}

TEST(Window, nothing_comes_back_until_an_eighth_was_consumed) {
  Upload upload({.stream_window = 80'000, .connection_window = 1'000'000});
  upload.consume(9'999);
  EXPECT_EQ(upload.received(), 80'000u);
  upload.consume(1);
  EXPECT_EQ(upload.received(), 90'000u);
  upload.consume(10'000);
  EXPECT_EQ(upload.received(), 100'000u);
}

TEST(Window, consumption_frees_the_connection_too) {
  Upload upload({.stream_window = 1'000'000, .connection_window = 80'000});
  upload.consume(9'999);
  EXPECT_EQ(upload.received(), 80'000u);
  upload.consume(1);
  EXPECT_EQ(upload.received(), 90'000u);
}

TEST(Window, a_grown_window_lets_more_come_at_once_and_keeps_what_was_consumed) {
  Upload upload({.stream_window = 80'000, .connection_window = 2'000'000});
  upload.pair.server.set_local_window(upload.id, 200'000);
  upload.pair.carry();
  EXPECT_EQ(upload.received(), 200'000u);
  EXPECT_EQ(upload.pair.server.local_window(upload.id), 200'000);
  upload.pair.server.set_local_window(upload.id, 1'600'000);
  upload.pair.carry();
  EXPECT_EQ(upload.received(), 1'600'000u);
  upload.consume(200'000);
  EXPECT_EQ(upload.received(), 1'800'000u);
}

TEST(Window, the_connections_window_grows_the_same_way) {
  Upload upload({.stream_window = 2'000'000, .connection_window = 100'000});
  upload.pair.server.set_local_window(kConnection, 1'500'000);
  upload.pair.carry();
  EXPECT_EQ(upload.received(), 1'500'000u);
}

TEST(Window, a_shrunk_window_gives_no_credit_back_until_what_is_outstanding_fits) {
  Upload upload({.stream_window = 160'000, .connection_window = 2'000'000});
  ASSERT_EQ(upload.received(), 160'000u);
  upload.pair.server.set_local_window(upload.id, 80'000);
  EXPECT_EQ(upload.pair.server.local_window(upload.id), 80'000);
  upload.consume(80'000);
  EXPECT_EQ(upload.received(), 160'000u);
  upload.consume(20'000);
  EXPECT_EQ(upload.received(), 180'000u);
}

TEST(Window, growing_again_first_forgives_what_shrinking_kept_back) {
  ReceiveWindow window(100);
  EXPECT_EQ(window.resize(60), 0);
  EXPECT_EQ(window.consume(10), 0);
  EXPECT_EQ(window.resize(80), 0);
  EXPECT_EQ(window.resize(100), 10);
  EXPECT_EQ(window.size(), 100);
  EXPECT_EQ(window.consume(90), 90);
}

TEST(Window, bytes_of_a_stream_that_closed_are_still_consumed_for_the_connection) {
  Upload upload({.stream_window = 1'000'000, .connection_window = 80'000});
  upload.pair.server.reset(upload.id, kCancel);
  upload.pair.carry();
  EXPECT_EQ(upload.pair.client.remote_window(kConnection), 0);
  upload.pair.server.consume(upload.id, 80'000);
  upload.pair.carry();
  EXPECT_EQ(upload.pair.client.remote_window(kConnection), 80'000);
}

TEST(Window, a_window_that_grows_before_the_request_is_sent_grows_behind_it) {
  SessionPair pair({.stream_window = 80'000, .connection_window = 2'000'000});
  const StreamId id = pair.client.request(get_request(), nullptr).value();
  pair.client.set_local_window(id, 500'000);
  pair.carry();
  EXPECT_EQ(pair.server.remote_window(id), 500'000);
}

TEST(Window, a_stream_that_does_not_exist_has_no_window) {
  SessionPair pair;
  EXPECT_EQ(pair.client.remote_window(7), 0);
  EXPECT_EQ(pair.client.local_window(7), 0);
  pair.client.set_local_window(7, 1'000);
  EXPECT_TRUE(poll_all(pair.client).empty());
}

TEST(Window, a_window_may_grow_to_the_protocols_maximum) {
  SessionPair pair;
  pair.client.set_local_window(kConnection, kMaxWindow);
  pair.carry();
  EXPECT_EQ(pair.server.remote_window(kConnection), kMaxWindow);
  EXPECT_FALSE(pair.server.error());
}

}  // namespace
}  // namespace karst::stream::http2
