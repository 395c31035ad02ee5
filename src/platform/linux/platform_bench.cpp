#include <benchmark/benchmark.h>
#include <sys/socket.h>

#include <array>
#include <memory>
#include <utility>

#include "platform/linux/event_loop.h"
#include "platform/linux/socket_address.h"

namespace karst::platform {
namespace {

using driver::Interest;

constexpr std::size_t kBlock = 64 * 1024;

// One end of a connection that writes blocks as fast as it may, and counts what it reads.
struct End final : driver::TcpStream::Handler {
  void use(std::unique_ptr<driver::TcpStream> opened) {
    stream = std::move(opened);
    stream->set_handler(*this);
  }
  void on_connected(Result<void>) override { connected = true; }
  void on_readable() override {
    for (;;) {
      const auto got = stream->read(space);
      if (!got.ok()) return;
      received += *got;
      if (echo) write(Bytes(space).first(*got));
    }
  }
  void on_writable() override {
    while (write(space)) {
    }
  }
  bool write(Bytes bytes) {
    const Bytes runs[] = {bytes};
    return stream->write(runs).ok();
  }

  std::unique_ptr<driver::TcpStream> stream;
  std::array<std::uint8_t, kBlock> space{};
  std::size_t received = 0;
  bool connected = false;
  bool echo = false;
};

struct Pair final : driver::TcpListener::Handler {
  Pair() : loop(std::move(*EventLoop::create())) {
    const Endpoint any{IpAddress::v4({127, 0, 0, 1}), 0};
    auto listener = std::move(*loop->listen(any));
    listener->set_handler(*this);
    near.use(std::move(*loop->connect(listener->local())));
    while (!near.connected || far.stream == nullptr) loop->run_turn(std::chrono::seconds(1));
  }
  void on_accept(std::unique_ptr<driver::TcpStream> stream) override { far.use(std::move(stream)); }

  std::unique_ptr<EventLoop> loop;
  End near, far;
};

// Both ends on one thread: what one core sends and receives.
void tcp_bulk(benchmark::State& state) {
  Pair pair;
  pair.near.stream->set_unsent_low_water(static_cast<std::uint32_t>(state.range(0)));
  pair.near.stream->set_interest(Interest::write);
  pair.far.stream->set_interest(Interest::read);
  for (auto _ : state) pair.loop->run_turn(std::chrono::seconds(1));
  state.SetBytesProcessed(static_cast<std::int64_t>(pair.far.received));
}
BENCHMARK(tcp_bulk)->Arg(128 * 1024)->Arg(512 * 1024);

// The same work by bare system calls in turn, for comparison.
void tcp_bulk_bare(benchmark::State& state) {
  const UniqueFd listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  SocketAddress address = SocketAddress::from({IpAddress::v4({127, 0, 0, 1}), 0});
  ::bind(listener.get(), address.get(), address.length);
  ::listen(listener.get(), 1);
  address = SocketAddress::from(local_endpoint(listener.get()));
  const UniqueFd near(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ::connect(near.get(), address.get(), address.length);
  const UniqueFd far(::accept(listener.get(), nullptr, nullptr));
  std::array<std::uint8_t, kBlock> space{};
  std::int64_t received = 0;
  for (auto _ : state) {
    ssize_t left = ::send(near.get(), space.data(), space.size(), MSG_DONTWAIT);
    for (received += left; left > 0;) left -= ::recv(far.get(), space.data(), space.size(), 0);
  }
  state.SetBytesProcessed(received);
}
BENCHMARK(tcp_bulk_bare);

void round_trips(benchmark::State& state) {
  Pair pair;
  pair.near.stream->set_interest(Interest::read);
  pair.far.stream->set_interest(Interest::read);
  pair.far.echo = true;
  for (auto _ : state) {
    const std::size_t before = pair.near.received;
    pair.near.write(Bytes(pair.near.space).first(1));
    while (pair.near.received == before) pair.loop->run_turn(std::chrono::seconds(1));
  }
}
BENCHMARK(round_trips);

void turns_without_events(benchmark::State& state) {
  const auto loop = std::move(*EventLoop::create());
  auto end = loop->make_end_of_turn([] {});
  for (auto _ : state) {
    end->request();
    loop->run_turn(Duration::zero());
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(turns_without_events);

void changing_interest(benchmark::State& state) {
  Pair pair;
  for (auto _ : state) {
    pair.near.stream->set_interest(Interest::read);
    pair.near.stream->set_interest(Interest::none);
  }
}
BENCHMARK(changing_interest);

void rearming_one_of_many_timers(benchmark::State& state) {
  const auto loop = std::move(*EventLoop::create());
  std::vector<std::unique_ptr<driver::Timer>> timers;
  for (int i = 0; i < 10'000; ++i) {
    timers.push_back(loop->make_timer([] {}));
    timers.back()->arm(loop->now() + std::chrono::hours(1) + Duration(i * 7919 % 10'000));
  }
  std::size_t next = 0;
  for (auto _ : state) {
    next = (next + 7919) % timers.size();
    timers[next]->arm(loop->now() + std::chrono::hours(1) + Duration(next));
  }
}
BENCHMARK(rearming_one_of_many_timers);

}  // namespace
}  // namespace karst::platform
