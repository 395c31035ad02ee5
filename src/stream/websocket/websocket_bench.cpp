#include <benchmark/benchmark.h>

#include "base/check.h"
#include "stream/websocket/decoder.h"
#include "stream/websocket/encoder.h"

namespace karst::stream::websocket {
namespace {

// One message of the tunnel's full size, written by one end and read by the other.
void encode_and_decode(benchmark::State& run, Role from, bool in_place) {
  constexpr std::size_t kPayload = 16'367;
  Encoder encoder(from, Prng(1));
  Decoder decoder(from == Role::client ? Role::server : Role::client);
  const ByteVector payload(kPayload, 0x5a);
  ByteVector frame(encoder.frame_bytes(kPayload));
  for (auto _ : run) {
    if (in_place) {
      encoder.encode_in_place(Opcode::binary, frame);
    } else {
      encoder.encode(Opcode::binary, payload, frame);
    }
    Bytes input = frame;
    const auto message = decoder.decode(input);
    CHECK(message.ok() && message->has_value());
    benchmark::DoNotOptimize((*message)->payload.data());
    benchmark::ClobberMemory();
  }
  run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(kPayload));
  run.counters["ns_per_byte"] =
      benchmark::Counter(static_cast<double>(run.iterations()) * kPayload / 1e9,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK_CAPTURE(encode_and_decode, client_to_server, Role::client, false);
BENCHMARK_CAPTURE(encode_and_decode, client_to_server_in_place, Role::client, true);
BENCHMARK_CAPTURE(encode_and_decode, server_to_client, Role::server, false);
BENCHMARK_CAPTURE(encode_and_decode, server_to_client_in_place, Role::server, true);

}  // namespace
}  // namespace karst::stream::websocket
