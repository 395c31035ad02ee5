#include "keys/server_handshake.h"

#include "base/check.h"
#include "crypto/ct.h"
#include "keys/labels.h"
#include "keys/padding.h"
#include "keys/seal_once.h"
#include "wire/limits.h"
#include "wire/m2.h"
#include "wire/m3.h"
#include "wire/tlv.h"

namespace karst::keys {
namespace {

constexpr std::size_t kM2PaddingMax = 1'023;
constexpr std::size_t kOkPaddingMax = 511;

const FrontSecret& front_secret_of(const std::variant<StreamAccess, DatagramAccess>& access) {
  return std::visit([](const auto& held) -> const FrontSecret& { return held.front_secret(); },
                    access);
}

}  // namespace

ServerAwaitM1::ServerAwaitM1(const ServerConfig& config, StreamAccess access)
    : config_(config), access_(std::move(access)) {}
ServerAwaitM1::ServerAwaitM1(const ServerConfig& config, DatagramAccess access)
    : config_(config), access_(std::move(access)) {}

Result<ServerCheckedM1> ServerAwaitM1::handle(Bytes m1, UnixTime now) && {
  // The secrets of this state die with this call, whatever becomes of the object.
  ServerAwaitM1 state(std::move(*this));
  return state.check(m1, now);
}

Result<ServerCheckedM1> ServerAwaitM1::check(Bytes message, UnixTime now) {
  if (message.size() > wire::kM1BytesMax + kFrontSealTagBytes) return wire::kRecordTooLong;
  ByteVector record;
  Carrier carrier = Carrier::datagram;
  if (const auto* stream = std::get_if<StreamAccess>(&access_)) {
    carrier = Carrier::stream;
    TRY_ASSIGN(record, open_front_stream(stream->front_secret(), stream->exporter(),
                                         Direction::client_to_server, message));
  } else {
    record = to_vector(message);
  }
  TRY_ASSIGN(const wire::M1 m1, wire::parse_m1(record));
  if (m1.datagram.has_value() != (carrier == Carrier::datagram)) return kCarrierMismatch;
  if (m1.datagram && !hour_accepted(m1.datagram->time, now)) return kClockSkew;
  TRY_ASSIGN(const LinkParameters parameters,
             negotiate(carrier, config_.local, {m1.rekey_window, m1.policy, m1.capabilities}));
  return ServerCheckedM1(config_, std::move(access_), std::move(record), m1, parameters);
}

ReplayId ServerCheckedM1::replay_id() const {
  ReplayId id;
  copy_bytes(id, Bytes(m1_.nonce).first(id.size()));
  return id;
}

Result<ServerAnswer> ServerCheckedM1::answer(HandshakeGrant, UnixTime server_time,
                                             Entropy& entropy) && {
  ServerCheckedM1 state(std::move(*this));
  CHECK(std::holds_alternative<StreamAccess>(state.access_));
  return state.answer(std::optional<wire::ReceiverId>(), server_time, entropy);
}

Result<ServerAnswer> ServerCheckedM1::answer(HandshakeGrant, ReplayGrant, wire::ReceiverId receiver,
                                             UnixTime server_time, Entropy& entropy) && {
  ServerCheckedM1 state(std::move(*this));
  CHECK(std::holds_alternative<DatagramAccess>(state.access_));
  return state.answer(std::optional(receiver), server_time, entropy);
}

Result<ServerAnswer> ServerCheckedM1::answer(std::optional<wire::ReceiverId> receiver,
                                             UnixTime server_time, Entropy& entropy) {
  const auto x25519 = crypto::X25519KeyPair::generate(entropy);
  TRY_ASSIGN(const crypto::X25519Shared shared, x25519.agree(m1_.x25519));
  TRY_ASSIGN(const crypto::MlKemEncapsulation ml_kem,
             crypto::ml_kem_encapsulate(m1_.ml_kem, entropy));

  const auto* stream = std::get_if<StreamAccess>(&access_);
  std::optional<TlsExporter> exporter;
  if (stream != nullptr) exporter = stream->exporter().duplicate();
  Transcript transcript(parameters_.carrier, exporter ? Bytes(exporter->expose()) : Bytes{});
  transcript.add(record_);
  ByteVector message = wire::format_m2_clear({x25519.public_key(), ml_kem.ciphertext});
  transcript.add(message);
  HandshakeSecret secret(transcript.hash(), ml_kem.shared, shared, front_secret_of(access_));

  wire::M2Sealed m2;
  m2.identity = config_.identity->public_key();
  m2.receiver = receiver;
  m2.time = server_time;
  m2.rekey_window = config_.local.rekey_window;
  m2.policy = to_wire(config_.local.policy);
  m2.capabilities = config_.local.capabilities;
  m2.aead = parameters_.aead;
  m2.limits = config_.limits;
  m2.padding = random_padding(entropy, kM2PaddingMax);
  ByteVector sealed = wire::format_m2_sealed(m2);
  sign_and_add(transcript, sealed, kServerSignatureLabel, config_.identity->signer(), entropy);
  seal_once(secret.server_key().expose(), sealed, message);
  if (stream != nullptr) {
    message = seal_front_stream(stream->front_secret(), stream->exporter(),
                                Direction::server_to_client, message);
  }
  std::optional<wire::ReceiverId> client_receiver;
  if (m1_.datagram) client_receiver = m1_.datagram->receiver;
  return ServerAnswer{std::move(message),
                      ServerAwaitM3(std::move(secret), std::move(transcript), std::move(exporter),
                                    parameters_, client_receiver)};
}

Result<ProvisionalPeer> ServerAwaitM3::handle(Bytes m3, const ClientRegistry& registry,
                                              UnixTime now, Entropy& entropy) && {
  ServerAwaitM3 state(std::move(*this));
  return state.admit(m3, registry, now, entropy);
}

Result<ProvisionalPeer> ServerAwaitM3::admit(Bytes message, const ClientRegistry& registry,
                                             UnixTime now, Entropy& entropy) {
  if (message.size() > wire::kM3BytesMax + kSealTagBytes) return wire::kRecordTooLong;
  const auto record = open_once(secret_.client_key().expose(), message);
  if (!record) return kHandshakeSealBroken;
  TRY_ASSIGN(const wire::M3 m3, wire::parse_m3(*record));

  ProvisionalPeer peer;
  peer.node_id_ = node_id(m3.identity);
  peer.selector_ = m3.psk;
  TRY_ASSIGN(const KnownClient client, registry.find(peer.node_id_, m3.psk, now));
  TRY_ASSIGN(
      const PeerVerified verified,
      verify_and_add(transcript_, *record, kClientSignatureLabel, m3.identity, m3.signature));

  peer.name_ = client.name;
  peer.psk_ = client.psk;
  peer.limits_ = client.limits;
  peer.parameters_ = parameters_;
  peer.client_receiver_ = client_receiver_;
  peer.transcript_ = transcript_.hash();
  peer.session_id_ = entropy.bytes<16>();
  PskLink psk_link = derive_psk_link(*client.psk, peer.transcript_);
  const SessionRoot root = std::move(secret_).mix(
      verified, psk_link, exporter_ ? Bytes(exporter_->expose()) : Bytes{}, peer.transcript_);
  if (std::holds_alternative<wire::InviteId>(m3.psk)) {
    peer.enrolled_ = std::make_shared<const ClientPsk>(root.enrolled_psk());
  }
  peer.secrets_.emplace(root.link_secrets(std::move(psk_link)));
  return peer;
}

LinkSecrets ProvisionalPeer::take_secrets() {
  CHECK(secrets_.has_value());
  LinkSecrets out = std::move(*secrets_);
  secrets_.reset();
  return out;
}

ByteVector ProvisionalPeer::ok_record(std::optional<wire::AssignedAddress> ipv4,
                                      std::optional<wire::AssignedAddress> ipv6,
                                      Entropy& entropy) const {
  wire::Ok ok;
  ok.rekey_window = parameters_.rekey_window;
  ok.policy = to_wire(parameters_.policy);
  ok.aead = parameters_.aead;
  ok.limits = limits_;
  ok.ipv4 = ipv4;
  ok.ipv6 = ipv6;
  ok.session_id = session_id_;
  ok.padding = random_padding(entropy, kOkPaddingMax);
  return wire::format_ok(ok);
}

Result<Confirmation> ProvisionalPeer::confirm(ClientRegistry& registry, UnixTime now) && {
  TRY_ASSIGN(const KnownClient client, registry.find(node_id_, selector_, now));
  // A new enrolment in between has given the client another PSK than this link proved.
  if (!crypto::ct_equal(client.psk->expose(), psk_->expose())) return kPskGenerationUnknown;
  PeerToken token(node_id_, client.name, client.limits, session_id_);
  if (const auto* invite = std::get_if<wire::InviteId>(&selector_)) {
    TRY_ASSIGN(const ChangeTicket ticket,
               registry.enrol(node_id_, *invite, std::move(enrolled_), now));
    return Confirmation(EnrolmentPending(ticket, std::move(token)));
  }
  if (std::get<wire::PskGeneration>(selector_) == wire::PskGeneration::one) {
    registry.forget_generation_0(node_id_, psk_);
  }
  return Confirmation(std::move(token));
}

Result<PeerToken> EnrolmentPending::complete(const ChangeOutcome& outcome) && {
  CHECK(outcome.ticket() == ticket_);
  if (outcome.result()) return std::move(token_);
  const Error& error = outcome.result().error();
  return error.is(kRegistryNotStored) ? Error(kEnrolmentNotStored) : error;
}

}  // namespace karst::keys
