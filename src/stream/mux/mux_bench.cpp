#include <benchmark/benchmark.h>

#include <array>
#include <cstdlib>
#include <optional>
#include <vector>

#include "stream/mux/mux.h"

namespace karst::stream::mux {
namespace {

// A client and a server with `count` open streams.
struct Link {
  MemoryBudget budget{1ull << 40};
  TimePoint now{std::chrono::seconds(1000)};
  Mux client{Role::client, Limits{}, budget, now};
  Mux server{Role::server, Limits{}, budget, now};
  std::vector<StreamId> streams;
  std::array<std::uint8_t, wire::kPlaintextBytesMax> space{};

  explicit Link(std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      streams.push_back(*client.open({wire::Target{"x", 1}}));
      settle();
      server.accept(streams.back(), std::nullopt);
      settle();
    }
  }
  bool move(Mux& from, Mux& to) {
    const auto record = from.poll_record(space, Allowed::everything, now);
    if (!record) return false;
    if (!to.handle_record(Bytes(space).first(record->size), now).ok()) std::abort();
    while (to.poll_event()) {
    }
    return true;
  }
  void settle() {
    while (move(client, server) || move(server, client)) {
    }
  }
  void read(StreamId stream) {
    Bytes run;
    while (client.received(stream, {&run, 1}) == 1) {
      benchmark::DoNotOptimize(run.data());
      client.consume_received(stream, run.size(), now);
    }
  }
};

// What one record of 16 KiB costs both ends together, from the server's send queue to the client's
// sink, credit included; the copy into the send queue stands for the read from a socket.
void record_through_both_ends(benchmark::State& state) {
  Link link(state.range(0));
  const std::vector<std::uint8_t> block(wire::kFramePayloadBytesMax, 'x');
  std::size_t next = 0;
  for (auto _ : state) {
    const StreamId stream = link.streams[next++ % link.streams.size()];
    link.server.send(stream, block);
    link.move(link.server, link.client);
    link.read(stream);
    link.move(link.client, link.server);
    link.now += std::chrono::microseconds(131);  // 1 Gbit/s
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(block.size()));
}
BENCHMARK(record_through_both_ends)->Arg(1)->Arg(8)->Arg(1000);

// One-byte frames, the dearest thing that a peer can send: ns for a record full of them.
void record_of_one_byte_frames(benchmark::State& state) {
  Link link(1);
  std::vector<std::uint8_t> record(wire::kPlaintextBytesMax / 9 * 9);
  Writer out(record);
  while (out.room() > 0) {
    wire::write_frame_header(out, wire::FrameType::data, link.streams[0], 1);
    out.u8('x');
  }
  for (auto _ : state) {
    if (!link.client.handle_record(record, link.now).ok()) std::abort();
    while (link.client.poll_event()) {
    }
    link.read(link.streams[0]);
    while (link.client.poll_record(link.space, Allowed::everything, link.now)) {
    }
  }
}
BENCHMARK(record_of_one_byte_frames);

// Packets of 1,400 bytes: ns for each through both ends.
void packet_through_both_ends(benchmark::State& state) {
  Link link(0);
  const std::vector<std::uint8_t> packet(1'400, 'x');
  for (auto _ : state) {
    for (int i = 0; i < 11; ++i) {
      if (!link.server.send_packet(packet, link.now).ok()) std::abort();
    }
    link.settle();
    while (link.client.receive_packet(link.space)) {
    }
  }
  state.SetItemsProcessed(state.iterations() * 11);
}
BENCHMARK(packet_through_both_ends);

}  // namespace
}  // namespace karst::stream::mux
