#include "base/check.h"
#include "stream/proxy/fuzz_pieces.h"
#include "stream/proxy/http_proxy.h"

using namespace karst::stream::proxy;

namespace {

// Whoever reads what goes to the web server finds one request, without what is not to leave, and
// nothing behind its end.
void check_forwarded(const std::string& text) {
  HttpReader reader(HttpReader::Kind::request);
  const auto head = reader.read_head(karst::as_bytes(text));
  CHECK(head.status == HttpReader::Status::head);
  std::size_t hosts = 0, closes = 0;
  for (const HttpField& field : reader.head().fields) {
    if (same_field_name(field.name, "host")) ++hosts;
    if (same_field_name(field.name, "connection")) ++closes;
    CHECK(!same_field_name(field.name.substr(0, 6), "proxy-"));
  }
  CHECK(hosts == 1 && closes == 1);
  karst::ByteQueue body;
  const auto rest = reader.read_body(karst::as_bytes(text).subspan(head.taken), body);
  CHECK(rest.status == HttpReader::Status::more || rest.status == HttpReader::Status::complete);
  CHECK(rest.taken == text.size() - head.taken);
  CHECK(contents(body) == text.substr(head.taken));
}

std::string outcome(karst::Bytes input, Pieces pieces) {
  HttpProxy proxy({});
  Exchange exchange;
  feed(input, pieces, [&](karst::Bytes piece) {
    if (exchange.state != Exchange::State::closing) proxy.handle_client(piece, exchange);
  });
  std::string out = contents(exchange.to_client) + "|" + contents(exchange.to_server);
  if (exchange.filter_server && exchange.state == Exchange::State::requested) {
    check_forwarded(contents(exchange.to_server));
  }
  while (const auto event = exchange.poll_event()) {
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) out += connect->target.text();
    if (const auto* failed = std::get_if<EntryFailed>(&*event)) out += failed->error.kind().name;
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  CHECK(outcome({data, size}, Pieces::whole) == outcome({data, size}, Pieces::random));
  return 0;
}
