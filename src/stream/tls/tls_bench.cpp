#include <benchmark/benchmark.h>

#include "base/check.h"
#include "stream/tls/tls_pair.h"

namespace karst::stream::tls {
namespace {

// Bulk data from one end to the other, both in this thread: MB/s of plaintext.
void bulk(benchmark::State& run) {
  TlsPair pair;
  CHECK(pair.client.handshake_done() && pair.server.handshake_done());
  const ByteVector block(kRecordBytes, 0x5a);
  ByteVector space(kRecordBytes);
  const auto blocks = static_cast<std::size_t>(run.range(0));
  for (auto _ : run) {
    for (std::size_t i = 0; i < blocks; ++i) CHECK(pair.client.write(block).ok());
    // As recv() would: straight into the other end's input.
    while (!pair.client.output().empty()) {
      const Bytes have = pair.client.output();
      const MutableBytes room = pair.server.input_space();
      const std::size_t part = std::min(have.size(), room.size());
      copy_bytes(room, have.first(part));
      CHECK(pair.server.commit_input(part).ok());
      pair.client.consume_output(part);
    }
    std::size_t received = 0;
    for (;;) {
      const auto count = pair.server.read(space);
      CHECK(count.ok());
      if (*count == 0) break;
      received += *count;
    }
    CHECK(received == blocks * kRecordBytes);
  }
  run.SetBytesProcessed(run.iterations() * run.range(0) * static_cast<std::int64_t>(kRecordBytes));
}
BENCHMARK(bulk)->Arg(1)->Arg(4)->Arg(16);

void handshake(benchmark::State& run) {
  const SelfSigned certificate = test_certificate();
  const TlsContext server_side = server_context(certificate);
  const TlsContext client_side = pinned_context(certificate);
  for (auto _ : run) {
    TlsConnection client(client_side, kTestNow);
    TlsConnection server(server_side, kTestNow);
    carry_both_ways(client, server);
    CHECK(client.handshake_done() && server.handshake_done());
  }
}
BENCHMARK(handshake);

}  // namespace
}  // namespace karst::stream::tls
