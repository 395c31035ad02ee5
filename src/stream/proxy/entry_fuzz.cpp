#include "base/check.h"
#include "base/reader.h"
#include "stream/proxy/entry.h"
#include "stream/proxy/fuzz_pieces.h"

using namespace karst::stream::proxy;

namespace {

constexpr karst::TimePoint kNow{std::chrono::seconds(9)};

std::string events(Entry& entry) {
  std::string out;
  while (const auto event = entry.poll_event()) {
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) out += connect->target.text();
    if (const auto* failed = std::get_if<EntryFailed>(&*event)) out += failed->error.kind().name;
  }
  return out;
}

// The whole life of a connection: the client's bytes, a result, the stream's bytes and its end.
std::string outcome(karst::Bytes client, karst::Bytes server, OpenResult result, Pieces pieces) {
  Entry entry({}, kNow);
  feed(client, pieces, [&](karst::Bytes piece) { entry.handle_client(piece); });
  std::string out = events(entry);
  const bool greeting = entry.next_deadline().has_value();
  if (!greeting && !entry.closing()) entry.handle_result(result);
  feed(server, pieces, [&](karst::Bytes piece) { entry.handle_server(piece); });
  entry.handle_server_end();
  if (greeting) entry.handle_deadline(kNow + kGreetingTime);
  out += events(entry);
  out += contents(entry.to_client()) + "|" + contents(entry.to_server());

  CHECK(entry.to_server().size() <= kPendingBytesMax + 512);
  if (entry.closing()) {
    const std::size_t said = entry.to_client().size();
    entry.handle_client(client.first(std::min(client.size(), entry.client_room())));
    entry.handle_server(server.first(std::min(server.size(), entry.server_room())));
    entry.handle_server_end();
    CHECK(entry.to_client().size() == said && entry.to_server().empty() && events(entry).empty());
  }
  return out;
}

}  // namespace

// Result, length of the client's bytes, these, the stream's bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  karst::Reader reader({data, size});
  const auto result = static_cast<OpenResult>(reader.u8() % kOpenResults);
  const std::size_t client_bytes = reader.u16();
  const karst::Bytes client = reader.bytes(std::min(client_bytes, reader.remaining()));
  const karst::Bytes server = reader.rest();
  if (client.size() + server.size() > 16 * 1024) return 0;
  CHECK(outcome(client, server, result, Pieces::whole) ==
        outcome(client, server, result, Pieces::random));
  return 0;
}
