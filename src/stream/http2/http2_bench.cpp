#include <benchmark/benchmark.h>

#include "stream/http2/http2_pair.h"

namespace karst::stream::http2 {
namespace {

// Always one more full message.
class EndlessSource final : public BodySource {
 public:
  Chunk next(std::size_t max) override { return {max, false}; }
  void write(MutableBytes space) override {
    copy_bytes(space, Bytes(message_).first(space.size()));
  }

 private:
  ByteVector message_ = ByteVector(kMaxDataBytes, 0x5a);
};

// Consumes everything at once.
class Sink final : public Visitor {
 public:
  Session* session = nullptr;
  std::size_t received = 0;
  StreamId opened = 0;
  void on_request(StreamId id, RequestHead) override { opened = id; }
  void on_data(StreamId id, Bytes bytes) override {
    received += bytes.size();
    session->consume(id, bytes.size());
  }
};

// Full messages of a tunnel from client to server, both in this thread.
void bulk(benchmark::State& run) {
  Recorder client_saw;
  Sink sink;
  ClientSession client({}, client_saw);
  ServerSession server({.stream_window = 1 << 24, .connection_window = 1 << 24}, sink);
  sink.session = &server;
  EndlessSource source;
  carry(server, client);
  CHECK(client.request(connect_request(), &source).ok());
  ByteVector block(kBlockBytes);
  const auto step = [&] {
    const std::size_t up = client.poll_output(block);
    CHECK(server.feed(Bytes(block).first(up)).ok());
    const std::size_t down = server.poll_output(block);
    CHECK(client.feed(Bytes(block).first(down)).ok());
  };
  while (sink.received == 0) step();
  sink.received = 0;
  for (auto _ : run) step();
  run.SetBytesProcessed(static_cast<std::int64_t>(sink.received));
}
BENCHMARK(bulk);

}  // namespace
}  // namespace karst::stream::http2
