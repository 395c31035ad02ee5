// Garbage to feed(), at three points: to a server from the start, to a client after its
// ClientHello, and to an established connection. Whatever comes: an error ends it for good, what is
// still said then is short, and no plaintext appears.
#include <algorithm>
#include <cstdint>

#include "base/check.h"
#include "stream/tls/tls_pair.h"

namespace karst::stream::tls {
namespace {

// One flight of the handshake, if the same piece of input first earned it, and an alert.
constexpr std::size_t kLastWordsMax = 4096;

struct Sides {
  SelfSigned certificate = test_certificate();
  TlsContext server = server_context(certificate);
  TlsContext client = pinned_context(certificate);
};

void drop_output(TlsConnection& connection) {
  while (!connection.output().empty()) connection.consume_output(connection.output().size());
}

void feed_garbage(TlsConnection& connection, Bytes garbage, std::uint8_t cut) {
  std::size_t before = connection.output_bytes();
  while (!garbage.empty()) {
    const std::size_t part = std::min<std::size_t>(garbage.size(), cut + std::size_t{1});
    const auto fed = connection.feed(garbage.first(part));
    CHECK(fed.ok() == !connection.error().has_value());
    garbage = garbage.subspan(part);
    std::uint8_t space[256];
    const auto read = connection.read(space);
    CHECK(read.ok() == !connection.error().has_value());
    CHECK(!read.ok() || *read == 0);
    if (connection.error()) {
      CHECK(connection.output_bytes() <= before + kLastWordsMax);
      drop_output(connection);
      (void)connection.feed(garbage);
      connection.close_notify();
      CHECK(connection.output_bytes() == 0);
      return;
    }
    before = connection.output_bytes();
  }
}

}  // namespace
}  // namespace karst::stream::tls

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst::stream::tls;
  if (size < 2) return 0;
  static const Sides sides;
  const karst::Bytes garbage(data + 2, size - 2);
  switch (data[0] % 3) {
    case 0: {
      TlsConnection server(sides.server, kTestNow);
      feed_garbage(server, garbage, data[1]);
      break;
    }
    case 1: {
      TlsConnection client(sides.client, kTestNow);
      drop_output(client);
      feed_garbage(client, garbage, data[1]);
      break;
    }
    default: {
      TlsConnection client(sides.client, kTestNow);
      TlsConnection server(sides.server, kTestNow);
      carry_both_ways(client, server);
      feed_garbage(data[0] & 64 ? client : server, garbage, data[1]);
    }
  }
  return 0;
}
