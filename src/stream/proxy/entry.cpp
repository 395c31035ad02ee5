#include "stream/proxy/entry.h"

#include <algorithm>

#include "base/check.h"
#include "stream/proxy/error.h"
#include "stream/proxy/socks5_wire.h"

namespace karst::stream::proxy {
namespace {

bool is_letter(std::uint8_t byte) {
  return (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
}

std::size_t room_beside(const ByteQueue& queue) {
  return kPendingBytesMax - std::min(queue.size(), kPendingBytesMax);
}

}  // namespace

Entry::Entry(const EntryConfig& config, TimePoint now)
    : credentials_(config.credentials), greeting_deadline_(now + config.greeting_time) {}

void Entry::choose_protocol(std::uint8_t first) {
  if (first == kSocksVersion) {
    protocol_ = Socks5Server(credentials_);
  } else if (is_letter(first)) {
    protocol_.emplace<HttpProxy>(credentials_);
  } else if (first == kSocks4Version) {
    exchange_.to_client.append(socks4_refusal());
    exchange_.fail(kSocks4);
  } else {
    exchange_.fail(kUnknownProtocol);
  }
}

std::size_t Entry::client_room() const { return room_beside(exchange_.to_server); }

void Entry::handle_client(Bytes bytes) {
  CHECK(bytes.size() <= client_room());
  if (bytes.empty() || closing()) return;
  if (std::holds_alternative<std::monostate>(protocol_)) choose_protocol(bytes.front());
  if (auto* socks = std::get_if<Socks5Server>(&protocol_)) socks->handle_client(bytes, exchange_);
  if (auto* http = std::get_if<HttpProxy>(&protocol_)) http->handle_client(bytes, exchange_);
}

std::size_t Entry::server_room() const { return room_beside(exchange_.to_client); }

void Entry::handle_server(Bytes bytes) {
  CHECK(bytes.size() <= server_room());
  if (exchange_.state != Exchange::State::open) return;
  if (auto* http = std::get_if<HttpProxy>(&protocol_)) {
    http->handle_server(bytes, exchange_);
  } else {
    exchange_.to_client.append(bytes);
  }
}

void Entry::handle_server_end() {
  if (exchange_.state != Exchange::State::open) return;
  if (auto* http = std::get_if<HttpProxy>(&protocol_)) http->handle_server_end(exchange_);
}

void Entry::handle_result(OpenResult result, const Endpoint& bound) {
  if (closing()) return;
  CHECK(exchange_.state == Exchange::State::requested);
  if (auto* socks = std::get_if<Socks5Server>(&protocol_)) {
    socks->handle_result(result, bound, exchange_);
  } else {
    std::get<HttpProxy>(protocol_).handle_result(result, exchange_);
  }
}

bool Entry::client_direct() const {
  return exchange_.state == Exchange::State::open && !exchange_.filter_client;
}

bool Entry::server_direct() const {
  return exchange_.state == Exchange::State::open && !exchange_.filter_server;
}

std::optional<TimePoint> Entry::next_deadline() const {
  if (exchange_.state != Exchange::State::greeting) return std::nullopt;
  return greeting_deadline_;
}

void Entry::handle_deadline(TimePoint now) {
  if (exchange_.state != Exchange::State::greeting || now < greeting_deadline_) return;
  exchange_.fail(kGreetingTimeout);
}

}  // namespace karst::stream::proxy
