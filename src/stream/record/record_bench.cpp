#include <benchmark/benchmark.h>

#include "stream/record/record_for_test.h"

namespace karst::stream::record {
namespace {

// A policy that never ends an epoch within a benchmark.
constexpr keys::EpochPolicy kEndless{1ull << 40, 1ull << 30, 86'400'000};

struct Ends {
  explicit Ends(const keys::EpochPolicy& policy)
      : ratchets(keys::RatchetPair::parameters(policy, 8), keys::DepthMode::fixed, now),
        sealer(ratchets.client.send_epochs()),
        opener(ratchets.server.stream_receive()),
        record(frame_record(wire::FrameType::data, wire::kPlaintextBytesMax)) {}

  TimePoint now{std::chrono::seconds(1000)};
  keys::RatchetPair ratchets;
  RecordSealer sealer;
  RecordOpener opener;
  ByteVector record;  // opening restores the plaintext, so one buffer goes round
};

void count_bytes(benchmark::State& state) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(wire::kPlaintextBytesMax));
}

void seal_and_open(benchmark::State& state) {
  Ends ends(kEndless);
  for (auto _ : state) {
    ends.sealer.seal(wire::RecordKind::counted, ends.record, ends.now);
    if (!ends.opener.open(ends.record, ends.now).ok()) state.SkipWithError("not opened");
  }
  count_bytes(state);
}
BENCHMARK(seal_and_open);

void seal_small(benchmark::State& state) {
  Ends ends(kEndless);
  ends.record = frame_record(wire::FrameType::data, 64);
  for (auto _ : state) {
    ends.sealer.seal(wire::RecordKind::counted, ends.record, ends.now);
    if (!ends.opener.open(ends.record, ends.now).ok()) state.SkipWithError("not opened");
  }
}
BENCHMARK(seal_small);

// Both ends on one thread under extreme, the exchanges of ML-KEM and X25519 included.
void seal_and_open_with_epochs(benchmark::State& state) {
  Ends ends(keys::kExtreme);
  auto& [client_entropy, server_entropy, client, server] = ends.ratchets;
  for (auto _ : state) {
    ends.sealer.seal(wire::RecordKind::counted, ends.record, ends.now);
    if (!ends.opener.open(ends.record, ends.now).ok()) state.SkipWithError("not opened");
    while (client.has_control(ends.now)) {
      const auto offer = client.next_control(ends.now);
      if (!server.handle_offer((*offer)->body, ends.now).ok()) state.SkipWithError("offer");
      const auto ack = server.next_control(ends.now);
      if (!client.handle_ack((*ack)->body, ends.now).ok()) state.SkipWithError("ack");
    }
  }
  count_bytes(state);
}
BENCHMARK(seal_and_open_with_epochs);

}  // namespace
}  // namespace karst::stream::record
