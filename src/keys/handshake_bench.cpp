// CPU of one handshake, per side and per step. The sum of the client's three and of the server's
// three is what one connection costs each of them.
#include <benchmark/benchmark.h>

#include "keys/handshake_world_for_test.h"

namespace karst::keys {
namespace {

struct Bench {
  Bench() { world.register_client(); }

  ClientHello hello() { return world.hello(connection, world.by_psk()); }
  ServerCheckedM1 checked(const ByteVector& m1) {
    return *ServerAwaitM1(world.server_config(), world.admitted(connection)).handle(m1, kWorldNow);
  }
  HandshakeGrant grant() {
    world.now += std::chrono::seconds(1);
    return *world.limiter.admit(IpAddress(), world.now);
  }
  ServerAnswer answer(const ByteVector& m1) {
    return *checked(m1).answer(grant(), kWorldNow, world.entropy);
  }

  HandshakeWorld world;
  TlsExporter connection = world.new_connection();
};

void client_makes_m1(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) benchmark::DoNotOptimize(bench.hello());
}

void server_checks_m1(benchmark::State& state) {
  Bench bench;
  const ByteVector m1 = bench.hello().m1;
  for (auto _ : state) benchmark::DoNotOptimize(bench.checked(m1));
}

// What noise from whoever lacks the front secret costs.
void server_refuses_noise(benchmark::State& state) {
  Bench bench;
  ByteVector m1 = bench.hello().m1;
  m1[100] ^= 1;
  for (auto _ : state) {
    auto result = ServerAwaitM1(bench.world.server_config(), bench.world.admitted(bench.connection))
                      .handle(m1, kWorldNow);
    benchmark::DoNotOptimize(result);
  }
}

void server_answers_m1(benchmark::State& state) {
  Bench bench;
  const ByteVector m1 = bench.hello().m1;
  for (auto _ : state) {
    state.PauseTiming();
    ServerCheckedM1 checked = bench.checked(m1);
    HandshakeGrant grant = bench.grant();
    state.ResumeTiming();
    auto answer = std::move(checked).answer(std::move(grant), kWorldNow, bench.world.entropy);
    benchmark::DoNotOptimize(answer);
  }
}

void client_handles_m2(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    state.PauseTiming();
    ClientHello hello = bench.hello();
    const ByteVector m2 = bench.answer(hello.m1).m2;
    state.ResumeTiming();
    auto reply = std::move(hello.next).handle(m2, bench.world.entropy);
    benchmark::DoNotOptimize(reply);
  }
}

void server_handles_m3(benchmark::State& state) {
  Bench bench;
  for (auto _ : state) {
    state.PauseTiming();
    ClientHello hello = bench.hello();
    ServerAnswer answer = bench.answer(hello.m1);
    const ClientReply reply = *std::move(hello.next).handle(answer.m2, bench.world.entropy);
    state.ResumeTiming();
    auto peer = std::move(answer.next)
                    .handle(reply.m3, bench.world.registry, kWorldNow, bench.world.entropy);
    benchmark::DoNotOptimize(peer);
  }
}

void judging_a_proof(benchmark::State& state) {
  Bench bench;
  const std::string cookie = make_admission_cookie(bench.world.front.current(), bench.connection,
                                                   kWorldAuthority, bench.world.entropy);
  for (auto _ : state) benchmark::DoNotOptimize(bench.world.admit(bench.connection, cookie));
}

BENCHMARK(client_makes_m1)->Unit(benchmark::kMicrosecond);
BENCHMARK(judging_a_proof)->Unit(benchmark::kMicrosecond);
BENCHMARK(server_checks_m1)->Unit(benchmark::kMicrosecond);
BENCHMARK(server_refuses_noise)->Unit(benchmark::kMicrosecond);
BENCHMARK(server_answers_m1)->Unit(benchmark::kMicrosecond);
BENCHMARK(client_handles_m2)->Unit(benchmark::kMicrosecond);
BENCHMARK(server_handles_m3)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace karst::keys
