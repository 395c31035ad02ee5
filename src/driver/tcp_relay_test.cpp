#include "driver/tcp_relay.h"

#include <gtest/gtest.h>

#include "driver/ports_for_test.h"
#include "stream/mux/test_pair.h"

namespace karst::driver {
namespace {

using std::chrono::seconds;

// A relay at the server's end of a stream.
struct TcpRelayTest : testing::Test {
  TcpRelayTest()
      : stream(link.connect()),
        streams(link.server, ports, [] {}),
        relay(std::make_unique<FakeTcpStream>(socket), streams, stream, ports,
              [this] { done = true; }) {
    relay.start({.stream = false, .socket = false});
  }

  void settle() {
    link.settle();
    streams.dispatch();
    link.settle();
  }
  void say(std::string_view text) {
    socket.input += text;
    socket.handler->on_readable();
    settle();
  }
  void end_stream() {
    link.client.finish(stream);
    settle();
  }

  FakePorts ports;
  FakeSocket socket;
  stream::mux::Pair link;
  StreamId stream;
  LinkStreams streams;
  bool done = false;
  TcpRelay relay;
};

TEST_F(TcpRelayTest, one_direction_goes_on_after_the_other_has_ended) {
  end_stream();
  EXPECT_TRUE(socket.shut);
  EXPECT_FALSE(done);
  say("late");
  EXPECT_EQ(link.read(link.client, stream), "late");
  socket.input_ended = true;
  say("");
  EXPECT_TRUE(done);
  EXPECT_FALSE(socket.aborted);
}

TEST_F(TcpRelayTest, the_socket_resets_at_a_sudden_end_until_all_of_the_stream_was_written) {
  EXPECT_TRUE(socket.guarded);
  socket.input_ended = true;
  say("");
  EXPECT_TRUE(socket.guarded) << "the stream has not ended yet";
  end_stream();
  EXPECT_TRUE(socket.shut && done);
  EXPECT_FALSE(socket.guarded || socket.aborted);
}

TEST_F(TcpRelayTest, what_was_complete_is_not_thrown_away_when_the_link_ends) {
  end_stream();
  streams.end_all(wire::ResetReason::going_away);
  EXPECT_TRUE(done && socket.closed);
  EXPECT_FALSE(socket.guarded || socket.aborted);
}

TEST_F(TcpRelayTest, what_was_not_complete_is_reset_when_the_link_ends) {
  socket.input_ended = true;
  say("");
  streams.end_all(wire::ResetReason::going_away);
  EXPECT_TRUE(done && socket.closed && socket.aborted);
}

TEST_F(TcpRelayTest, a_half_closed_connection_on_which_nothing_moves_is_ended) {
  end_stream();
  ports.pass(kHalfClosedTime - seconds(1));
  EXPECT_FALSE(done);
  ports.pass(seconds(1));
  EXPECT_TRUE(done && socket.closed);
  EXPECT_FALSE(socket.aborted) << "the stream was complete";
  settle();
  const auto ended = stream::mux::only<stream::mux::Ended>(stream::mux::events(link.client));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].reason, wire::ResetReason::timed_out);
}

TEST_F(TcpRelayTest, it_is_ended_too_when_the_socket_has_ended_and_the_stream_does_not) {
  socket.input_ended = true;
  say("");
  ports.pass(kHalfClosedTime);
  EXPECT_TRUE(done && socket.aborted);
}

TEST_F(TcpRelayTest, what_moves_starts_the_time_of_a_half_closed_connection_again) {
  end_stream();
  for (int i = 0; i < 5; ++i) {
    ports.pass(kHalfClosedTime - seconds(1));
    say("still here");
  }
  EXPECT_FALSE(done);
  ports.pass(kHalfClosedTime);
  EXPECT_TRUE(done);
}

TEST_F(TcpRelayTest, an_open_connection_may_be_idle_for_as_long_as_it_likes) {
  ports.pass(seconds(1'000'000));
  EXPECT_FALSE(done);
}

}  // namespace
}  // namespace karst::driver
