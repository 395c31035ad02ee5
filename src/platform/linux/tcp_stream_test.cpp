#include "platform/linux/tcp_stream.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include "platform/linux/socket_address.h"
#include "platform/linux/test_support.h"

namespace karst::platform {
namespace {

using driver::Interest;

// Our own descriptor of the socket with this address, or -1.
int descriptor_of(const Endpoint& local) {
  for (int fd = 0; fd < 1024; ++fd) {
    if (const auto found = local_endpoint(fd); found.port == local.port) return fd;
  }
  return -1;
}

// Whether the kernel would end this connection with a reset if the process were killed.
bool resets_at_a_kill(const driver::TcpStream& stream) {
  linger option{};
  socklen_t length = sizeof option;
  const int fd = descriptor_of(stream.local());
  EXPECT_EQ(::getsockopt(fd, SOL_SOCKET, SO_LINGER, &option, &length), 0);
  return option.l_onoff != 0 && option.l_linger == 0;
}

class TcpTest : public LoopTest {
 protected:
  // A connected pair: near called connect(), far was accepted.
  bool meet() {
    listener = std::move(*loop.listen(loopback()));
    listener->set_handler(accepted);
    near.use(std::move(*loop.connect(listener->local())));
    if (!until([&] { return near.connected && !accepted.streams.empty(); })) return false;
    far = accepted.streams[0].get();
    return true;
  }

  Accepted accepted;
  std::unique_ptr<driver::TcpListener> listener;
  Conversation near;
  Conversation* far = nullptr;
};

TEST_F(TcpTest, carries_bytes_both_ways_and_knows_its_addresses) {
  ASSERT_TRUE(meet());
  EXPECT_EQ(near.stream->remote(), listener->local());
  EXPECT_EQ(near.stream->local(), far->stream->remote());
  EXPECT_EQ(far->stream->local(), listener->local());
  ASSERT_TRUE(near.write("hello").ok());
  ASSERT_TRUE(far->write("welcome").ok());
  until([&] { return far->received == "hello" && near.received == "welcome"; });
  EXPECT_EQ(near.results, 1);
  EXPECT_EQ(far->results, 0);
}

TEST_F(TcpTest, writes_the_runs_in_order_and_skips_empty_ones) {
  ASSERT_TRUE(meet());
  const Bytes runs[] = {as_bytes("a"), {}, as_bytes("bc"), as_bytes("def")};
  EXPECT_EQ(near.stream->write(runs).value(), 6u);
  until([&] { return far->received == "abcdef"; });
}

TEST_F(TcpTest, an_end_that_came_with_the_last_bytes_is_seen) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  ASSERT_TRUE(near.write("last words").ok());
  near.stream->shutdown_write();
  turns(3);
  far->stream->set_interest(Interest::read);
  until([&] { return far->ended; });
  EXPECT_EQ(far->received, "last words");
}

TEST_F(TcpTest, urgent_data_in_the_middle_holds_nothing_up) {
  listener = std::move(*loop.listen(loopback()));
  listener->set_handler(accepted);
  const UniqueFd peer(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress to = SocketAddress::from(listener->local());
  ASSERT_EQ(::connect(peer.get(), to.get(), to.length), 0);
  ASSERT_EQ(::send(peer.get(), "ab", 2, 0), 2);
  ASSERT_EQ(::send(peer.get(), "!", 1, MSG_OOB), 1);
  ASSERT_EQ(::send(peer.get(), "cd", 2, 0), 2);
  // The kernel stops a read before the urgent byte, and leaves it out of the stream.
  until([&] { return !accepted.streams.empty() && accepted.streams[0]->received == "abcd"; });
}

TEST_F(TcpTest, a_half_close_ends_one_direction_only) {
  ASSERT_TRUE(meet());
  ASSERT_TRUE(near.write("last words").ok());
  near.stream->shutdown_write();
  until([&] { return far->ended; });
  EXPECT_EQ(far->received, "last words");
  ASSERT_TRUE(far->write("still here").ok());
  until([&] { return near.received == "still here"; });
  EXPECT_FALSE(near.ended);
}

TEST_F(TcpTest, an_aborted_stream_is_a_reset_at_the_other_side) {
  ASSERT_TRUE(meet());
  near.stream->abort_on_close();
  near.stream.reset();
  until([&] { return far->error.has_value(); });
  EXPECT_TRUE(far->error->is(driver::kReset));
}

TEST_F(TcpTest, a_stream_that_must_be_shut_resets_when_it_ends_before) {
  ASSERT_TRUE(meet());
  EXPECT_FALSE(resets_at_a_kill(*near.stream));
  near.stream->reset_unless_shut();
  EXPECT_TRUE(resets_at_a_kill(*near.stream));
  near.stream.reset();
  until([&] { return far->error.has_value() || far->ended; });
  ASSERT_TRUE(far->error.has_value()) << "a clean end";
  EXPECT_TRUE(far->error->is(driver::kReset));
}

TEST_F(TcpTest, once_it_is_shut_everything_is_delivered) {
  ASSERT_TRUE(meet());
  // With the other side's end in, the close is the kernel's alone.
  far->stream->shutdown_write();
  until([&] { return near.ended; });
  far->stream->set_interest(Interest::none);
  near.stream->reset_unless_shut();
  const std::string much(1 << 20, 'x');
  std::size_t written = 0;
  for (int i = 0; i < 16; ++i) {
    written += near.write(much).value_or(0);
    turn();
  }
  ASSERT_GT(written, 0u);
  near.stream->shutdown_write();
  EXPECT_FALSE(resets_at_a_kill(*near.stream));
  near.stream.reset();
  far->stream->set_interest(Interest::read);
  until([&] { return far->ended || far->error; });
  EXPECT_TRUE(far->ended);
  EXPECT_EQ(far->received.size(), written);
}

TEST_F(TcpTest, writing_to_a_connection_that_was_reset_is_an_error_and_no_signal) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  near.stream->abort_on_close();
  near.stream.reset();
  std::optional<Error> error;
  until([&] {
    turn();
    const auto result = far->write("x");
    if (!result.ok()) error = result.error();
    return error.has_value();
  });
  EXPECT_TRUE(error->is(driver::kReset));
}

TEST_F(TcpTest, a_side_that_takes_nothing_is_given_up_after_the_silence_limit) {
  ASSERT_TRUE(meet());
  near.stream->set_silence_limit(1s);
  far->stream->set_interest(Interest::none);
  const std::string much(1 << 20, 'x');
  while (near.write(much).ok()) turn();
  until([&] { return near.error.has_value(); });
  EXPECT_TRUE(near.error->is(driver::kTimedOut));
}

TEST_F(TcpTest, the_pause_between_retransmissions_is_bounded_where_the_kernel_can) {
  ASSERT_TRUE(meet());
  constexpr int kRtoMaxMs = 44;
  const int fd = descriptor_of(near.stream->local());
  ASSERT_GE(fd, 0);
  const auto pause = [fd] {
    int value = 0;
    socklen_t length = sizeof value;
    return ::getsockopt(fd, IPPROTO_TCP, kRtoMaxMs, &value, &length) == 0 ? value : -1;
  };
  if (pause() == -1) GTEST_SKIP() << "this kernel has no TCP_RTO_MAX_MS";
  for (const auto& [asked, set] : {std::pair(2500ms, 2500), {1ms, 1000}, {1h, 120'000}}) {
    near.stream->set_retransmission_pause(asked);
    EXPECT_EQ(pause(), set);
  }
}

TEST_F(TcpTest, a_refused_connection_says_so) {
  // Bound, so that nobody else takes the port, but not listening.
  const UniqueFd deaf(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const SocketAddress any = SocketAddress::from(loopback());
  ASSERT_EQ(::bind(deaf.get(), any.get(), any.length), 0);
  near.use(std::move(*loop.connect(local_endpoint(deaf.get()))));
  until([&] { return near.error.has_value(); });
  EXPECT_TRUE(near.error->is(driver::kRefused));
  turns(3);
  EXPECT_EQ(near.results, 1);
  EXPECT_EQ(near.readable + near.writable, 0);
}

TEST_F(TcpTest, nothing_is_told_before_the_result_of_connecting) {
  listener = std::move(*loop.listen(loopback()));
  listener->set_handler(accepted);
  struct Order : Conversation {
    void on_connected(Result<void>) override { log += 'c'; }
    void on_writable() override {
      log += 'w';
      stream->set_interest(Interest::none);
    }
    std::string log;
  } order;
  order.use(std::move(*loop.connect(listener->local())));
  order.stream->set_interest(Interest::both);
  EXPECT_EQ(order.log, "");
  until([&] { return order.log == "cw"; });
}

TEST_F(TcpTest, without_interest_nothing_is_told_and_nothing_is_lost) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  ASSERT_TRUE(near.write("patience").ok());
  near.stream.reset();
  turns(10);
  EXPECT_EQ(far->readable, 0);
  far->stream->set_interest(Interest::read);
  EXPECT_EQ(far->readable, 0) << "a callback came from inside the call";
  until([&] { return far->ended; });
  EXPECT_EQ(far->received, "patience");
}

TEST_F(TcpTest, readable_is_told_in_each_turn_until_the_input_is_taken) {
  ASSERT_TRUE(meet());
  struct Lazy : Conversation {
    void on_readable() override { ++readable; }
  } lazy;
  lazy.use(std::move(far->stream));
  lazy.stream->set_interest(Interest::read);
  ASSERT_TRUE(near.write("x").ok());
  until([&] { return lazy.readable == 1; });
  turns(5);
  EXPECT_EQ(lazy.readable, 6);
  std::uint8_t space[8];
  EXPECT_EQ(lazy.stream->read(space).value(), 1u);
  turns(5);
  EXPECT_EQ(lazy.readable, 6);
}

TEST_F(TcpTest, writable_is_told_in_each_turn_while_there_is_room) {
  ASSERT_TRUE(meet());
  near.stream->set_interest(Interest::write);
  turns(5);
  EXPECT_EQ(near.writable, 5);
  near.stream->set_interest(Interest::none);
  turns(5);
  EXPECT_EQ(near.writable, 5);
}

// Fills the pipe towards `far`, which does not read, until the kernel takes no more.
std::size_t fill(LoopTest&, Conversation& from, EventLoop& loop) {
  const std::string block(64 * 1024, 'z');
  std::size_t taken = 0;
  for (int refusals = 0; refusals < 3;) {
    const auto result = from.write(block);
    refusals = result.ok() ? 0 : refusals + 1;
    if (result.ok()) taken += *result;
    if (!result.ok()) loop.run_turn(1ms);
  }
  return taken;
}

TEST_F(TcpTest, a_full_pipe_blocks_and_writable_comes_when_the_other_side_reads) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  const std::size_t taken = fill(*this, near, loop);
  EXPECT_TRUE(near.write("x").error().is(driver::kWouldBlock));
  near.stream->set_interest(Interest::write);
  turns(10);
  EXPECT_EQ(near.writable, 0);
  far->stream->set_interest(Interest::read);
  until([&] { return near.writable > 0; });
  near.stream->set_interest(Interest::none);
  until([&] { return far->received.size() == taken; });
}

TEST_F(TcpTest, the_unsent_low_water_bounds_what_waits_in_the_kernel) {
  ASSERT_TRUE(meet());
  near.stream->set_unsent_low_water(32 * 1024);
  far->stream->set_interest(Interest::none);
  fill(*this, near, loop);
  const driver::TcpInfo info = near.stream->info();
  EXPECT_GT(info.not_sent, 0u);
  EXPECT_LE(info.not_sent, 32u * 1024 + 64 * 1024);
}

TEST_F(TcpTest, closing_delivers_what_was_written_although_input_was_never_read) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  near.stream->set_interest(Interest::none);
  const std::size_t taken = fill(*this, near, loop);
  ASSERT_TRUE(far->write("unread").ok());
  near.stream.reset();
  turns(3);
  ASSERT_TRUE(far->write("too late").ok());
  turns(3);
  far->stream->set_interest(Interest::read);
  until([&] { return far->ended || far->error; });
  EXPECT_FALSE(far->error);
  EXPECT_EQ(far->received.size(), taken);
}

TEST_F(TcpTest, one_turn_moves_a_bounded_amount_per_stream) {
  ASSERT_TRUE(meet());
  far->stream->set_interest(Interest::none);
  const std::size_t taken = fill(*this, near, loop);
  ASSERT_GT(taken, 2 * kStreamTurnBytes);
  far->stream->set_interest(Interest::read);
  turn();
  EXPECT_GT(far->received.size(), 0u);
  EXPECT_LT(far->received.size(), kStreamTurnBytes + 16384);
  until([&] { return far->received.size() == taken; });
}

TEST_F(TcpTest, a_callback_may_destroy_its_own_stream) {
  ASSERT_TRUE(meet());
  struct Suicidal : Conversation {
    void on_readable() override { stream.reset(); }
  } suicidal;
  suicidal.use(std::move(far->stream));
  suicidal.stream->set_interest(Interest::both);
  ASSERT_TRUE(near.write("x").ok());
  until([&] { return suicidal.stream == nullptr; });
  turns(3);
  EXPECT_LE(suicidal.writable, 1);
}

TEST_F(TcpTest, a_callback_may_destroy_another_stream_that_is_ready_in_the_same_turn) {
  ASSERT_TRUE(meet());
  struct Killer : Conversation {
    void on_readable() override {
      ++readable;
      victim->stream.reset();
      stream->set_interest(Interest::none);
    }
    Killer* victim = nullptr;
  };
  Killer one, two;
  one.victim = &two;
  two.victim = &one;
  Conversation second;
  second.use(std::move(*loop.connect(listener->local())));
  until([&] { return second.connected && accepted.streams.size() == 2; });
  one.use(std::move(far->stream));
  two.use(std::move(accepted.streams[1]->stream));
  ASSERT_TRUE(near.write("x").ok());
  ASSERT_TRUE(second.write("x").ok());
  one.stream->set_interest(Interest::read);
  two.stream->set_interest(Interest::read);
  until([&] { return one.readable + two.readable > 0; });
  turns(3);
  EXPECT_EQ(one.readable + two.readable, 1);
}

TEST_F(TcpTest, reports_the_round_trip_and_the_congestion_control_in_use) {
  ASSERT_TRUE(meet());
  ASSERT_TRUE(near.write(std::string(100000, 'x')).ok());
  until([&] { return far->received.size() == 100000; });
  const driver::TcpInfo info = near.stream->info();
  EXPECT_GT(info.rtt, Duration::zero());
  EXPECT_LT(info.rtt, 1s);
  EXPECT_GT(info.congestion_window, 1000u);
  EXPECT_GT(info.delivery_rate, 0u);
  EXPECT_GT(info.receive_window_of_peer, 1000u);
  EXPECT_EQ(near.stream->choose_congestion_control("reno"), "reno");
  EXPECT_EQ(near.stream->choose_congestion_control("no-such-control"), "reno");
}

TEST_F(TcpTest, connects_over_ipv6) {
  listener = std::move(*loop.listen({*IpAddress::parse("::"), 0}));
  listener->set_handler(accepted);
  const std::uint16_t port = listener->local().port;
  near.use(std::move(*loop.connect(loopback6(port))));
  until([&] { return accepted.streams.size() == 1; });
  EXPECT_EQ(accepted.streams[0]->stream->remote().address, loopback6().address);
  EXPECT_EQ(accepted.streams[0]->stream->local(), loopback6(port));
}

}  // namespace
}  // namespace karst::platform
