#include "stream/server_tunnel.h"

#include <utility>

#include "base/reader.h"
#include "wire/limits.h"

namespace karst::stream {
namespace {

Prng seeded(Entropy& entropy) {
  const auto seed = entropy.bytes<8>();
  return Prng(Reader(seed).u64());
}

// The longest M1 with its front seal, and the longest WebSocket frame around it.
constexpr std::size_t kM1MessageBytesMax = wire::kM1BytesMax + keys::kFrontSealTagBytes;
constexpr std::size_t kFirstFrameBytesMax = websocket::kMaxHeaderBytes + kM1MessageBytesMax;

}  // namespace

ServerTunnel::ServerTunnel(const ServerLinkConfig& config, keys::StreamAccess access,
                           const IpAddress& source)
    : config_(config), source_(source), body_(websocket::Role::server, seeded(*config.entropy)) {
  state_.emplace(keys::ServerAwaitM1(config_.handshake, std::move(access)));
}

void ServerTunnel::close(std::uint16_t code, TimePoint now) {
  if (link_ && link_->error()) body_.push_last_record(now);
  body_.close(code);
}

Error ServerTunnel::fail(const Error& error, TimePoint now) {
  close(error.kind().layer == "websocket" ? static_cast<std::uint16_t>(error.detail())
                                          : websocket::kClosePolicy,
        now);
  return error;
}

Result<ServerTunnel::Verdict> ServerTunnel::handle_bytes(Bytes bytes, TimePoint now,
                                                         UnixTime wall) {
  if (!state_) return kClientClosed;
  if (std::holds_alternative<keys::ServerAwaitM1>(*state_)) {
    received_.insert(received_.end(), bytes.begin(), bytes.end());
    return handle_first(now, wall);
  }
  for (;;) {
    auto message = decoder_.decode(bytes);
    if (!message.ok()) return fail(message.error(), now);
    if (!*message) return Verdict::tunnel;
    const auto handled = handle_message(**message, now, wall);
    if (!handled.ok()) return fail(handled.error(), now);
  }
}

Result<ServerTunnel::Verdict> ServerTunnel::handle_first(TimePoint now, UnixTime wall) {
  // Decoded anew with each piece: it is one short message, and a foreign one must reach the site
  // byte for byte.
  websocket::Decoder decoder(websocket::Role::server, kM1MessageBytesMax);
  Bytes rest = received_;
  auto message = decoder.decode(rest);
  if (message.ok() && !*message && received_.size() <= kFirstFrameBytesMax) {
    return Verdict::undecided;
  }
  const auto refuse = [this](const Error& why) {
    refusal_ = why;
    return Verdict::not_a_tunnel;
  };
  if (!message.ok()) return refuse(message.error());
  if (!*message || (*message)->opcode != websocket::Opcode::binary) {
    return refuse(kUnexpectedMessage);
  }
  const auto handled = handle_m1((*message)->payload, now, wall);
  if (!handled.ok()) return refuse(handled.error());
  const ByteVector behind = to_vector(rest);
  received_ = {};
  is_tunnel_ = true;
  return handle_bytes(behind, now, wall);
}

Result<void> ServerTunnel::handle_m1(Bytes m1, TimePoint now, UnixTime wall) {
  auto checked =
      std::get<keys::ServerAwaitM1>(*std::exchange(state_, std::nullopt)).handle(m1, wall);
  if (!checked.ok()) return checked.error();
  auto grant = config_.handshakes->admit(source_, now);
  if (!grant.ok()) return grant.error();
  auto answer = std::move(*checked).answer(std::move(*grant), wall, *config_.entropy);
  if (!answer.ok()) return answer.error();
  body_.push(answer->m2);
  state_.emplace(std::move(answer->next));
  return {};
}

Result<void> ServerTunnel::handle_message(const websocket::Message& message, TimePoint now,
                                          UnixTime wall) {
  switch (message.opcode) {
    case websocket::Opcode::ping:
      body_.pong(message.payload);
      return {};
    case websocket::Opcode::pong:
      return {};
    case websocket::Opcode::close:
      return Error(kClientClosed, message.close_code);
    case websocket::Opcode::binary:
      break;
    default:
      return kUnexpectedMessage;
  }
  if (std::holds_alternative<Running>(*state_)) return handle_record(message.payload, now);
  if (std::holds_alternative<keys::ServerAwaitM3>(*state_)) {
    return handle_m3(message.payload, now, wall);
  }
  if (std::holds_alternative<keys::ProvisionalPeer>(*state_)) {
    return handle_first_record(message.payload, now, wall);
  }
  // What is no record would be held at no charge.
  if (message.payload.size() < record::kRecordOverheadBytes) return record::kRecordLength;
  early_bytes_ += message.payload.size();
  if (early_bytes_ > kEarlyDataBytesMax) return kEarlyDataTooLong;
  early_.push_back(to_vector(message.payload));
  return {};
}

Result<void> ServerTunnel::handle_m3(Bytes m3, TimePoint now, UnixTime wall) {
  auto peer = std::get<keys::ServerAwaitM3>(*std::exchange(state_, std::nullopt))
                  .handle(m3, *config_.registry, wall, *config_.entropy);
  if (!peer.ok()) return peer.error();
  claimed_ = peer->node_id();
  LinkSetup setup{mux::Role::server, peer->parameters(), config_.depth, config_.limits};
  setup.limits.streams = config_.handshake.limits.streams;
  link_.emplace(setup, peer->take_secrets(), *config_.budget, *config_.entropy, now);
  link_->send_first(peer->ok_record(std::nullopt, std::nullopt, *config_.entropy));
  body_.set_source(&*link_);
  state_.emplace(std::move(*peer));
  return {};
}

Result<void> ServerTunnel::handle_first_record(Bytes record, TimePoint now, UnixTime wall) {
  // Opening it is the proof of the PSK.
  TRY_ASSIGN(const auto opened, link_->open(record, now));
  auto confirmation = std::get<keys::ProvisionalPeer>(*std::exchange(state_, std::nullopt))
                          .confirm(*config_.registry, wall);
  if (!confirmation.ok()) return confirmation.error();
  auto* token = std::get_if<keys::PeerToken>(&*confirmation);
  if (token != nullptr) obey(token->limits());
  TRY(link_->accept(opened, now));
  if (token != nullptr) return admit(std::move(*token), now);
  state_.emplace(std::get<keys::EnrolmentPending>(std::move(*confirmation)));
  return {};
}

Result<void> ServerTunnel::handle_outcome(const keys::ChangeOutcome& outcome, TimePoint now) {
  auto* pending = state_ ? std::get_if<keys::EnrolmentPending>(&*state_) : nullptr;
  if (pending == nullptr || pending->ticket() != outcome.ticket()) return {};
  auto token = std::move(*pending).complete(outcome);
  if (!token.ok()) return fail(token.error(), now);
  const auto admitted = admit(std::move(*token), now);
  if (!admitted.ok()) return fail(admitted.error(), now);
  return {};
}

void ServerTunnel::obey(const wire::ClientLimits& limits) {
  if (limits.streams > 0) link_->mux().limit_streams(limits.streams);
}

Result<void> ServerTunnel::admit(keys::PeerToken token, TimePoint now) {
  peer_.emplace(std::move(token));
  state_.emplace(Running{});
  event_.emplace();
  obey(peer_->limits());
  link_->release();
  // Its record tells an enrolling client that it is on disk.
  link_->mux().ping();
  for (const ByteVector& record : std::exchange(early_, {})) TRY(handle_record(record, now));
  return {};
}

Result<void> ServerTunnel::handle_record(Bytes record, TimePoint now) {
  TRY_ASSIGN(const auto opened, link_->open(record, now));
  return link_->accept(opened, now);
}

}  // namespace karst::stream
