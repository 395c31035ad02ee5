#include "driver/pace.h"

#include <gtest/gtest.h>

#include <list>
#include <map>
#include <vector>

#include "base/check.h"
#include "driver/link_streams.h"
#include "driver/ports_for_test.h"
#include "driver/tcp_relay.h"

namespace karst::driver {
namespace {

using namespace std::chrono_literals;
using Direction = Pace::Direction;

// Takes whatever it may, for ever.
struct Greedy final : Pace::Waiter {
  explicit Greedy(Pace& of) : pace(of) {}
  void on_pace(Direction direction) override {
    ++turns;
    while (const std::size_t room = pace.room(direction)) {
      // As a socket gives: a piece at a time.
      const std::size_t piece = std::min<std::size_t>(room, 16'384);
      pace.take(direction, piece);
      bytes += piece;
      if (room <= 16'384) break;
    }
    pace.wait(direction, *this);
  }
  Pace& pace;
  std::uint64_t bytes = 0;
  int turns = 0;
};

TEST(Pace, those_who_wait_share_the_rate_in_turn) {
  FakePorts ports;
  Pace pace(1'000'000, ports);
  std::list<Greedy> all;
  for (int i = 0; i < 10; ++i) all.emplace_back(pace).on_pace(Direction::to_client);
  const TimePoint end = ports.now() + 20s;
  while (ports.step(end)) {
  }
  std::uint64_t total = 0;
  for (const Greedy& one : all) {
    EXPECT_NEAR(static_cast<double>(one.bytes), 2'000'000, 200'000);
    total += one.bytes;
  }
  EXPECT_LE(total, 20'050'001u);
  for (Greedy& one : all) pace.stop_waiting(one);
  EXPECT_FALSE(ports.step(end + 1h) && ports.step(end + 1h));
}

TEST(Pace, the_directions_do_not_share) {
  FakePorts ports;
  Pace pace(1'000, ports);
  pace.take(Direction::to_client, pace.room(Direction::to_client));
  EXPECT_EQ(pace.room(Direction::to_client), 0u);
  EXPECT_GT(pace.room(Direction::to_target), 0u);
}

// A socket that has bytes for ever and takes all it is given.
struct Outside {
  std::uint64_t written = 0;
  TcpStream::Handler* handler = nullptr;
};
struct EndlessSocket final : TcpStream {
  explicit EndlessSocket(Outside& seen) : outside(seen) {}
  void set_handler(Handler& handler) override { outside.handler = &handler; }
  void set_interest(Interest) override {}
  Result<std::size_t> read(MutableBytes space) override { return space.size(); }
  Result<std::size_t> write(std::span<const Bytes> runs) override {
    std::size_t total = 0;
    for (const Bytes run : runs) total += run.size();
    outside.written += total;
    return total;
  }
  void shutdown_write() override {}
  void abort_on_close() override {}
  void reset_unless_shut() override {}
  void set_unsent_low_water(std::uint32_t) override {}
  void set_silence_limit(Duration) override {}
  void set_retransmission_pause(Duration) override {}
  std::string choose_congestion_control(std::string_view) override { return {}; }
  TcpInfo info() override { return {}; }
  Endpoint local() const override { return {}; }
  Endpoint remote() const override { return {}; }
  Outside& outside;
};

TEST(Pace, a_relay_reads_and_writes_no_faster_than_the_clients_rate) {
  using namespace stream::mux;
  constexpr std::uint64_t kRate = 200'000;
  FakePorts ports;
  MemoryBudget budget{1ull << 30};
  Mux client(Role::client, {}, budget, ports.now());
  Mux server(Role::server, {}, budget, ports.now());
  LinkStreams streams(server, ports, [] {});
  streams.set_pace(std::make_shared<Pace>(kRate, ports));
  const auto move = [&](Mux& from, Mux& to) {
    ByteVector space(wire::kPlaintextBytesMax);
    while (const auto record = from.poll_record(space, Allowed::everything, ports.now())) {
      ASSERT_TRUE(to.handle_record(Bytes(space).first(record->size), ports.now()).ok());
    }
  };
  const StreamId stream = *client.open({wire::Target{std::string("example.org"), 80}});
  move(client, server);
  streams.dispatch();
  server.accept(stream, std::nullopt);
  Outside outside;
  TcpRelay relay(std::make_unique<EndlessSocket>(outside), streams, stream, ports, [] {});
  relay.start({});
  const ByteVector upload(64 * 1024);
  std::uint64_t downloaded = 0;
  const TimePoint end = ports.now() + 10s;
  outside.handler->on_readable();
  do {
    move(server, client);
    Bytes run;
    while (client.received(stream, {&run, 1}) == 1) {
      downloaded += run.size();
      client.consume_received(stream, run.size(), ports.now());
    }
    client.send(stream, upload);
    move(client, server);
    streams.dispatch();
  } while (ports.step(end));
  for (const std::uint64_t bytes : {downloaded, outside.written}) {
    EXPECT_LE(bytes, kRate * 10 + 16'385);
    EXPECT_GE(bytes, kRate * 9);
  }
}

}  // namespace
}  // namespace karst::driver
