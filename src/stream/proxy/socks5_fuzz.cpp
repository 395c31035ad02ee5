#include "base/check.h"
#include "stream/proxy/fuzz_pieces.h"
#include "stream/proxy/socks5.h"

using namespace karst::stream::proxy;

namespace {

// Both method replies and the longest request reply.
constexpr std::size_t kRepliesBytesMax = 2 + 2 + 4 + 16 + 2;

std::string outcome(karst::Bytes input, const std::optional<Credentials>& credentials,
                    Pieces pieces) {
  Socks5Server server(credentials);
  Exchange exchange;
  feed(input, pieces, [&](karst::Bytes piece) { server.handle_client(piece, exchange); });
  std::string out = contents(exchange.to_client) + "|" + contents(exchange.to_server) + "|";
  CHECK(exchange.to_client.size() <= kRepliesBytesMax);
  if (const auto event = exchange.poll_event()) {
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) out += connect->target.text();
    if (const auto* failed = std::get_if<EntryFailed>(&*event)) out += failed->error.kind().name;
  }
  CHECK(!exchange.poll_event());
  return out;
}

}  // namespace

// The first byte's lowest bit: with credentials, which are "u" and "p".
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::optional<Credentials> credentials;
  if (data[0] & 1) credentials = *Credentials::make("u", "p");
  const karst::Bytes input(data + 1, size - 1);
  CHECK(outcome(input, credentials, Pieces::whole) == outcome(input, credentials, Pieces::random));
  return 0;
}
