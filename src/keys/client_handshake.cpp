#include "keys/client_handshake.h"

#include <algorithm>

#include "base/check.h"
#include "keys/front_seal.h"
#include "keys/labels.h"
#include "keys/padding.h"
#include "keys/seal_once.h"
#include "wire/limits.h"
#include "wire/m1.h"
#include "wire/m2.h"
#include "wire/m3.h"
#include "wire/tlv.h"

namespace karst::keys {
namespace {

constexpr std::size_t kStreamPaddingMax = 1'023;
// The datagram carrier's M1, so that the server may answer with up to three times as much.
constexpr std::size_t kDatagramM1BytesMin = 3'600;
constexpr std::size_t kDatagramPaddingMax = 255;

Carrier carrier_of(const ClientBinding& binding) {
  return std::holds_alternative<StreamBinding>(binding) ? Carrier::stream : Carrier::datagram;
}

Bytes exporter_of(const ClientBinding& binding) {
  const auto* stream = std::get_if<StreamBinding>(&binding);
  return stream != nullptr ? Bytes(stream->exporter.expose()) : Bytes{};
}

// M2 as it travelled, taken apart; the sealed part is still sealed.
struct SplitM2 {
  ByteVector message;
  std::size_t clear_size = 0;

  Bytes clear() const { return Bytes(message).first(clear_size); }
  Bytes sealed() const { return Bytes(message).subspan(clear_size); }
};

Result<SplitM2> split_m2(Bytes m2, const FrontSecret& front, const ClientBinding& binding) {
  if (m2.size() > wire::kM2BytesMax + kFrontSealTagBytes) return wire::kRecordTooLong;
  SplitM2 split;
  if (const auto* stream = std::get_if<StreamBinding>(&binding)) {
    TRY_ASSIGN(split.message,
               open_front_stream(front, stream->exporter, Direction::server_to_client, m2));
  } else {
    split.message = to_vector(m2);
  }
  if (split.message.size() > wire::kM2BytesMax) return wire::kRecordTooLong;
  TRY_ASSIGN(split.clear_size, wire::measure_record(split.message));
  return split;
}

wire::PskSelector selector_of(const ClientCredential& credential) {
  if (const auto* psk = std::get_if<PskCredential>(&credential)) return psk->generation;
  return std::get<InviteCredential>(credential).id;
}

const ClientPsk& psk_of(const ClientCredential& credential) {
  if (const auto* psk = std::get_if<PskCredential>(&credential)) return psk->psk;
  return std::get<InviteCredential>(credential).psk;
}

}  // namespace

ClientAwaitM2::ClientAwaitM2(const ClientConfig& config, FrontSecret front,
                             ClientCredential credential, ClientBinding binding, Entropy& entropy)
    : config_(config),
      front_(std::move(front)),
      credential_(std::move(credential)),
      binding_(std::move(binding)),
      transcript_(carrier_of(binding_), exporter_of(binding_)),
      x25519_(crypto::X25519KeyPair::generate(entropy)),
      ml_kem_(crypto::MlKemKeyPair::generate(entropy)) {}

ByteVector ClientAwaitM2::make_m1(Entropy& entropy) {
  wire::M1 m1;
  m1.nonce = entropy.bytes<32>();
  m1.x25519 = x25519_.public_key();
  m1.ml_kem = ml_kem_.public_key();
  m1.rekey_window = config_.local.rekey_window;
  m1.policy = to_wire(config_.local.policy);
  m1.capabilities = config_.local.capabilities;
  const auto* datagram = std::get_if<DatagramBinding>(&binding_);
  if (datagram != nullptr) {
    m1.datagram = {datagram->time, datagram->receiver};
    m1.padding = kDatagramM1BytesMin - wire::format_m1(m1).size() +
                 random_padding(entropy, kDatagramPaddingMax);
  } else {
    m1.padding = random_padding(entropy, kStreamPaddingMax);
  }
  ByteVector record = wire::format_m1(m1);
  transcript_.add(record);
  if (datagram != nullptr) return record;
  return seal_front_stream(front_, std::get<StreamBinding>(binding_).exporter,
                           Direction::client_to_server, record);
}

ClientHello start_client(const ClientConfig& config, FrontSecret front, ClientCredential credential,
                         ClientBinding binding, Entropy& entropy) {
  ClientAwaitM2 next(config, std::move(front), std::move(credential), std::move(binding), entropy);
  ByteVector m1 = next.make_m1(entropy);
  return {std::move(m1), std::move(next)};
}

Result<HandshakeSecret> ClientAwaitM2::agree(Bytes clear) {
  TRY_ASSIGN(const wire::M2Clear m2, wire::parse_m2_clear(clear));
  transcript_.add(clear);
  TRY_ASSIGN(const crypto::X25519Shared x25519, x25519_.agree(m2.x25519));
  return HandshakeSecret(transcript_.hash(), ml_kem_.decapsulate(m2.ml_kem), x25519, front_);
}

Result<ClientAwaitM2::Agreed> ClientAwaitM2::check_m2(Bytes record) {
  TRY_ASSIGN(const wire::M2Sealed m2, wire::parse_m2_sealed(record));
  const Carrier carrier = carrier_of(binding_);
  if (m2.receiver.has_value() != (carrier == Carrier::datagram)) return kCarrierMismatch;
  if (node_id(m2.identity) != config_.server) return kWrongServer;
  TRY_ASSIGN(const PeerVerified verified,
             verify_and_add(transcript_, record, kServerSignatureLabel, m2.identity, m2.signature));
  TRY_ASSIGN(const LinkParameters parameters,
             negotiate(carrier, config_.local, {m2.rekey_window, m2.policy, m2.capabilities}));
  if (m2.aead != parameters.aead) return kAeadMismatch;
  return Agreed{verified, parameters, m2.limits, m2.time, m2.receiver};
}

ByteVector ClientAwaitM2::make_m3(const HandshakeKey& key, Entropy& entropy) {
  wire::M3 m3;
  m3.identity = config_.identity->public_key();
  m3.psk = selector_of(credential_);
  m3.padding = random_padding(entropy, kStreamPaddingMax);
  ByteVector record = wire::format_m3(m3);
  sign_and_add(transcript_, record, kClientSignatureLabel, config_.identity->signer(), entropy);
  ByteVector message;
  message.reserve(record.size() + kSealTagBytes);
  seal_once(key.expose(), record, message);
  return message;
}

Result<ClientReply> ClientAwaitM2::handle(Bytes m2, Entropy& entropy) && {
  // The secrets of this state die with this call, whatever becomes of the object.
  ClientAwaitM2 state(std::move(*this));
  return state.reply(m2, entropy);
}

Result<ClientReply> ClientAwaitM2::reply(Bytes m2, Entropy& entropy) {
  TRY_ASSIGN(const SplitM2 split, split_m2(m2, front_, binding_));
  TRY_ASSIGN(HandshakeSecret secret, agree(split.clear()));
  const auto record = open_once(secret.server_key().expose(), split.sealed());
  if (!record) return kHandshakeSealBroken;
  TRY_ASSIGN(const Agreed agreed, check_m2(*record));

  ByteVector m3 = make_m3(secret.client_key(), entropy);
  const TranscriptHash t3 = transcript_.hash();
  PskLink psk_link = derive_psk_link(psk_of(credential_), t3);
  const SessionRoot root =
      std::move(secret).mix(agreed.verified, psk_link, exporter_of(binding_), t3);
  std::optional<ClientPsk> enrolled;
  if (std::holds_alternative<InviteCredential>(credential_)) enrolled = root.enrolled_psk();
  return ClientReply{
      std::move(m3),      root.link_secrets(std::move(psk_link)),
      agreed.parameters,  t3,
      agreed.server_time, agreed.receiver,
      agreed.limits,      ClientAwaitOk(agreed.parameters, agreed.limits, std::move(enrolled))};
}

Result<ClientSession> ClientAwaitOk::handle(Bytes ok_record) && {
  TRY_ASSIGN(const wire::Ok ok, wire::parse_ok(ok_record));
  if (ok.rekey_window != parameters_.rekey_window || ok.policy != to_wire(parameters_.policy) ||
      ok.aead != parameters_.aead) {
    return kOkMismatch;
  }
  ClientSession session;
  session.session_id = ok.session_id;
  session.server_limits = server_limits_;
  session.limits = ok.limits;
  session.ipv4 = ok.ipv4;
  session.ipv6 = ok.ipv6;
  session.enrolled_psk = std::move(enrolled_);
  return session;
}

}  // namespace karst::keys
