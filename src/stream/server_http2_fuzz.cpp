#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "stream/connection_pair_for_test.h"

// What comes out of TLS on a server, in pieces: the first byte chooses whether it is a stranger's
// HTTP/2 or what a client that is up sends on its tunnel's stream.
namespace karst::stream {
namespace {

constexpr std::size_t kRoom = 1 << 20;

ServerForTest& server() {
  static ServerForTest server;
  return server;
}

struct Known {
  Known() : client(server()), psk(server().add_client(client.identity.node_id())) {}
  ClientForTest client;
  keys::ClientPsk psk;
};

// Everything that is to be sent. It ends by itself, since nobody gives credit or reads.
void drain(ServerHttp2& http2, const Moment& moment) {
  std::array<std::uint8_t, http2::kBlockBytes> block;
  std::size_t total = 0;
  while (const std::size_t size = http2.poll_output(block, moment)) {
    total += size;
    CHECK(total < kRoom);
  }
  CHECK(http2.poll_output(block, moment) == 0);
}

void feed_in_pieces(ServerHttp2& http2, Bytes input, Moment moment) {
  bool failed = false;
  while (!input.empty()) {
    const std::size_t size = std::min<std::size_t>(input.size(), 1 + input.front() % 97u);
    const bool ok = http2.feed(input.first(size), moment).ok();
    CHECK(!failed || !ok);
    failed = !ok;
    input = input.subspan(size);
    http2.pump(moment);
    drain(http2, moment);
    moment.now += std::chrono::seconds(1);
    const auto deadline = http2.next_deadline();
    if (deadline && *deadline <= moment.now) {
      http2.handle_deadline(moment);
      http2.pump(moment);
      drain(http2, moment);
    }
  }
}

void stranger(Bytes input) {
  ServerHttp2 http2(server().shared, cover::ConnectionKey{1}, IpAddress::v4({192, 0, 2, 1}),
                    tls::Exporter());
  const Moment moment{kStart, UnixTime{1'750'000'000}};
  static_cast<void>(http2.feed(as_bytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), moment));
  feed_in_pieces(http2, input, moment);
}

// A DATA frame of the tunnel's stream around each piece, so that the bytes reach WebSocket, the
// records and the handshake's end.
void peer(Bytes input) {
  static Known known;
  ConnectionPair pair(server(), known.client, server().front.current().duplicate(),
                      keys::PskCredential{wire::PskGeneration::zero, known.psk.duplicate()});
  // The limit on handshakes per second is real: every run has a second of its own.
  static TimePoint clock = kStart;
  clock += std::chrono::seconds(1);
  pair.now = clock;
  pair.settle();
  CHECK(pair.peer_ups == 1);
  ByteVector frames;
  while (!input.empty()) {
    const std::size_t size = std::min<std::size_t>(input.size(), 200);
    const std::uint8_t header[] = {0, 0, static_cast<std::uint8_t>(size), 0, 0, 0, 0, 0, 3};
    frames.insert(frames.end(), std::begin(header), std::end(header));
    frames.insert(frames.end(), input.begin(), input.begin() + static_cast<std::ptrdiff_t>(size));
    input = input.subspan(size);
  }
  feed_in_pieces(*pair.server.http2(), frames, pair.moment());
}

}  // namespace
}  // namespace karst::stream

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const karst::Bytes input(data + 1, size - 1);
  if (data[0] % 2 == 0) {
    karst::stream::stranger(input);
  } else {
    karst::stream::peer(input);
  }
  return 0;
}
