#include "stream/client_tunnel.h"

#include <utility>

#include "base/reader.h"

namespace karst::stream {
namespace {

Prng seeded(Entropy& entropy) {
  const auto seed = entropy.bytes<8>();
  return Prng(Reader(seed).u64());
}

}  // namespace

ClientTunnel::ClientTunnel(const ClientLinkConfig& config, keys::FrontSecret front,
                           keys::ClientCredential credential, keys::TlsExporter exporter)
    : config_(config), body_(websocket::Role::client, seeded(*config.entropy)) {
  keys::ClientHello hello =
      keys::start_client(config_.handshake, std::move(front), std::move(credential),
                         keys::StreamBinding{std::move(exporter)}, *config_.entropy);
  body_.push(hello.m1);
  state_.emplace(std::move(hello.next));
}

Result<void> ClientTunnel::handle_bytes(Bytes bytes, TimePoint now) {
  if (failed_) return *failed_;
  for (;;) {
    auto message = decoder_.decode(bytes);
    if (!message.ok()) {
      return fail(message.error(), static_cast<std::uint16_t>(message.error().detail()));
    }
    if (!*message) return {};
    const auto handled = handle_message(**message, now);
    if (!handled.ok()) {
      if (link_ && link_->error()) body_.push_last_record(now);
      return fail(handled.error(), websocket::kCloseNormal);
    }
  }
}

Result<void> ClientTunnel::fail(const Error& error, std::uint16_t close_code) {
  failed_ = error;
  body_.close(close_code);
  return error;
}

Error ClientTunnel::close_error(std::uint16_t code) const {
  if (state_ && std::holds_alternative<keys::ClientAwaitM2>(*state_)) return kNotATunnel;
  // Afterwards the server has let us in, and ends the tunnel for another reason.
  const bool undecided = state_ && std::holds_alternative<keys::ClientAwaitOk>(*state_);
  if (undecided && code == websocket::kClosePolicy) return kNotAdmitted;
  return Error(kTunnelClosed, code);
}

Result<void> ClientTunnel::handle_end() { return close_error(websocket::kCloseNone); }

Result<void> ClientTunnel::handle_message(const websocket::Message& message, TimePoint now) {
  switch (message.opcode) {
    case websocket::Opcode::ping:
      body_.pong(message.payload);
      return {};
    case websocket::Opcode::pong:
      return {};
    case websocket::Opcode::close:
      return close_error(message.close_code);
    case websocket::Opcode::binary:
      break;
    default:
      // The socket is the site's, which may greet in text, until M2 says that it is a tunnel.
      if (!std::holds_alternative<keys::ClientAwaitM2>(*state_)) return kUnexpectedText;
      return {};
  }
  if (std::holds_alternative<keys::ClientAwaitM2>(*state_)) {
    return handle_m2(message.payload, now);
  }
  return handle_record(message.payload, now);
}

Result<void> ClientTunnel::handle_m2(Bytes m2, TimePoint now) {
  auto reply = std::get<keys::ClientAwaitM2>(*std::exchange(state_, std::nullopt))
                   .handle(m2, *config_.entropy);
  if (!reply.ok()) return reply.error();
  body_.push(reply->m3);
  LinkSetup setup{mux::Role::client, reply->parameters, config_.depth, config_.limits};
  setup.limits.streams = reply->limits.streams;
  link_.emplace(setup, std::move(reply->secrets), *config_.budget, *config_.entropy, now);
  link_->send_first({});
  link_->release();
  body_.set_source(&*link_);
  server_time_ = reply->server_time;
  state_.emplace(std::move(reply->next));
  return {};
}

Result<void> ClientTunnel::handle_record(Bytes record, TimePoint now) {
  if (std::holds_alternative<keys::ClientAwaitOk>(*state_)) {
    TRY_ASSIGN(const Bytes plaintext, link_->open_ok(record, now));
    auto session =
        std::get<keys::ClientAwaitOk>(*std::exchange(state_, std::nullopt)).handle(plaintext);
    if (!session.ok()) return session.error();
    if (const auto streams = session->limits.streams; streams > 0) {
      link_->mux().limit_streams(streams);
    }
    if (session->enrolled_psk) {
      state_.emplace(AwaitEnrolment{std::move(*session->enrolled_psk)});
      session->enrolled_psk.reset();
    } else {
      state_.emplace(Running{});
    }
    up_.emplace(Up{std::move(*session)});
    return {};
  }
  TRY_ASSIGN(const auto opened, link_->open(record, now));
  if (auto* waiting = std::get_if<AwaitEnrolment>(&*state_)) {
    enrolled_.emplace(Enrolled{std::move(waiting->psk)});
    state_.emplace(Running{});
  }
  return link_->accept(opened, now);
}

std::optional<ClientTunnel::Event> ClientTunnel::poll_event() {
  if (up_) return std::exchange(up_, std::nullopt);
  return std::exchange(enrolled_, std::nullopt);
}

}  // namespace karst::stream
