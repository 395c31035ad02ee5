#include "stream/server_connection.h"

#include <utility>

#include "keys/labels.h"

namespace karst::stream {

using Http1Ptr = std::unique_ptr<cover::Http1Connection>;
using Http2Ptr = std::unique_ptr<ServerHttp2>;

ServerConnection::ServerConnection(const ServerShared& shared, cover::ConnectionKey key,
                                   const Endpoint& peer, const Moment& moment)
    : shared_(shared),
      key_(key),
      peer_(peer),
      tls_(*shared.tls, moment.wall),
      idle_since_(moment.now) {
  if (shared_.visitors != nullptr) charge_.emplace(*shared_.visitors);
}

std::size_t ServerConnection::held_bytes() const {
  const std::size_t outside = waiting_.footprint() + tls_.buffer_bytes();
  if (const auto* http1 = std::get_if<Http1Ptr>(&http_)) return outside + (*http1)->held_bytes();
  const auto* h2 = std::get_if<Http2Ptr>(&http_);
  if (h2 == nullptr) return outside;
  return (*h2)->held_bytes() + ((*h2)->has_peer() ? 0 : outside);
}

void ServerConnection::charge() {
  if (charge_) charge_->set(held_bytes());
}

void ServerConnection::release_idle() {
  if (std::exchange(moved_, false)) return;
  tls_.release_buffers();
  waiting_.release_spare();
  charge();
}

void ServerConnection::consume_output(std::size_t count) {
  tls_.consume_output(count);
  charge();
}

ServerHttp2* ServerConnection::http2() {
  auto* held = std::get_if<Http2Ptr>(&http_);
  return held != nullptr ? held->get() : nullptr;
}

bool ServerConnection::wants_input() const { return !closed_ && !input_ended_ && waiting_.empty(); }

void ServerConnection::shut() {
  if (std::exchange(closed_, true)) return;
  if (tls_.handshake_done() && !tls_.error()) tls_.close_notify();
}

void ServerConnection::start_http(const Moment& moment) {
  if (!std::holds_alternative<std::monostate>(http_) || !tls_.handshake_done()) return;
  idle_since_ = moment.now;
  if (tls_.alpn() == tls::Alpn::h2) {
    http_ = std::make_unique<ServerHttp2>(shared_, key_, peer_.address,
                                          tls_.exporter(keys::kTlsExporterLabel));
    return;
  }
  http_ = std::make_unique<cover::Http1Connection>(
      cover::Http1Connection::Options{key_, peer_.address.text()}, *shared_.site, moment);
}

void ServerConnection::commit_input(std::size_t filled, const Moment& moment) {
  if (closed_) return;
  moved_ = true;
  // After an error only the alert is left to send.
  if (!tls_.commit_input(filled).ok()) return shut();
  if (!std::holds_alternative<std::monostate>(http_)) idle_since_ = moment.now;
  start_http(moment);
  read_plaintext(moment);
  charge();
}

bool ServerConnection::read_plaintext(const Moment& moment) {
  if (std::holds_alternative<std::monostate>(http_)) return false;
  bool moved = false;
  while (waiting_.empty() && !closed_) {
    const auto read = tls_.read(shared_.scratch->read);
    if (!read.ok()) {
      shut();
      return false;
    }
    if (*read == 0) break;
    moved = true;
    const Bytes plaintext = Bytes(shared_.scratch->read).first(*read);
    if (auto* h2 = http2()) {
      // The session has its GOAWAY ready; produce() sends it.
      if (!h2->feed(plaintext, moment).ok()) break;
    } else {
      waiting_.append(plaintext);
      move_http1(moment);
    }
  }
  if (auto* h2 = http2()) h2->pump(moment);
  if (tls_.peer_closed()) handle_input_end(moment);
  return moved;
}

void ServerConnection::move_http1(const Moment& moment) {
  auto& http1 = *std::get<Http1Ptr>(http_);
  while (!waiting_.empty()) {
    const std::size_t taken = http1.handle_input(waiting_.front(), moment);
    if (taken == 0) break;
    waiting_.consume(taken);
  }
}

void ServerConnection::handle_input_end(const Moment& moment) {
  if (std::exchange(input_ended_, true)) return;
  if (auto* http1 = std::get_if<Http1Ptr>(&http_)) {
    (*http1)->handle_end(moment);
  } else {
    shut();
  }
}

void ServerConnection::wake(const Moment& moment) {
  if (closed_) return;
  if (auto* h2 = http2()) h2->pump(moment);
  charge();
}

void ServerConnection::produce(const Moment& moment) {
  const MutableBytes block = shared_.scratch->block;
  while (!closed_ && tls_.output_bytes() < kOutputTarget) {
    std::size_t size = 0;
    if (auto* h2 = http2()) {
      size = h2->poll_output(block, moment);
      if (size == 0) {
        if (h2->finished()) shut();
        break;
      }
    } else if (auto* http1 = std::get_if<Http1Ptr>(&http_)) {
      const auto polled = (*http1)->poll_output(block, moment);
      if (!polled) {
        const std::size_t before = waiting_.size();
        move_http1(moment);
        if (waiting_.size() != before || read_plaintext(moment)) continue;
        if ((*http1)->finished()) shut();
        break;
      }
      size = *polled;
    } else {
      break;
    }
    moved_ = true;
    if (!tls_.write(block.first(size)).ok()) return shut();
  }
  charge();
}

void ServerConnection::close(const Moment& moment) {
  if (auto* h2 = http2()) {
    h2->close();
    produce(moment);
  }
  shut();
}

std::optional<TimePoint> ServerConnection::next_deadline() const {
  if (closed_) return std::nullopt;
  if (std::holds_alternative<std::monostate>(http_)) return idle_since_ + kTlsHandshakeTime;
  if (const auto* http1 = std::get_if<Http1Ptr>(&http_)) return (*http1)->next_deadline();
  const auto& h2 = *std::get<Http2Ptr>(http_);
  if (h2.idle()) return idle_since_ + kIdleTime;
  return h2.next_deadline();
}

void ServerConnection::handle_deadline(const Moment& moment) {
  if (closed_) return;
  if (std::holds_alternative<std::monostate>(http_)) {
    if (moment.now >= idle_since_ + kTlsHandshakeTime) shut();
    return;
  }
  if (auto* http1 = std::get_if<Http1Ptr>(&http_)) return (*http1)->handle_deadline(moment);
  ServerHttp2& h2 = *http2();
  if (h2.idle() && moment.now >= idle_since_ + kIdleTime) {
    close(moment);
  } else {
    h2.handle_deadline(moment);
    h2.pump(moment);
  }
}

}  // namespace karst::stream
