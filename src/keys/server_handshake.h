#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/admission.h"
#include "keys/client_registry.h"
#include "keys/front_seal.h"
#include "keys/handshake_error.h"
#include "keys/handshake_limiter.h"
#include "keys/identity.h"
#include "keys/key_schedule.h"
#include "keys/link_secrets.h"
#include "keys/negotiation.h"
#include "keys/replay_store.h"
#include "keys/transcript.h"
#include "wire/handshake_values.h"
#include "wire/m1.h"
#include "wire/ok.h"

// The server's side of the handshake (docs/protocol/session.md). Each state is a type; a transition
// consumes one and returns the next, and after an error the link is over:
//
//   ServerAwaitM1(config, StreamAccess or DatagramAccess)
//     .handle(m1)             -> ServerCheckedM1    cheap: seal, record, negotiation, time
//   ServerCheckedM1::answer() -> {m2, ServerAwaitM3}   KEM and signature, 1 to 2 ms of CPU
//   ServerAwaitM3::handle(m3) -> ProvisionalPeer    secrets for the link; send OK, nothing else
//   ProvisionalPeer::confirm()   when the client's first record has opened
//     -> PeerToken, or EnrolmentPending -> PeerToken when the registry is on disk
//
// States may move to another thread between calls, so that answer() can run beside the packets.
// Holding early client data (at most 65,536 bytes before the first record opens) and every deadline
// are the link's business.

namespace karst::keys {

struct ServerConfig {
  const Identity* identity;  // borrowed, never null; outlives the handshake
  LocalAdvert local;
  wire::ServerLimits limits;
};

// A client that has proven all there is to prove. Only the handshake makes it, and nothing of a
// peer (address, route, stream, resumption) may exist without it.
class PeerToken {
 public:
  PeerToken(PeerToken&&) = default;
  PeerToken& operator=(PeerToken&&) = default;

  const NodeId& node_id() const { return node_id_; }
  const std::string& name() const { return name_; }
  const wire::ClientLimits& limits() const { return limits_; }
  const wire::SessionId& session_id() const { return session_id_; }

 private:
  friend class ProvisionalPeer;
  PeerToken(const NodeId& node_id, std::string name, const wire::ClientLimits& limits,
            const wire::SessionId& session_id)
      : node_id_(node_id), name_(std::move(name)), limits_(limits), session_id_(session_id) {}

  NodeId node_id_;
  std::string name_;
  wire::ClientLimits limits_;
  wire::SessionId session_id_;
};

// The client waits for its enrolment to be on disk. If its link dies meanwhile, drop this: the
// client may try again with its invite.
class EnrolmentPending {
 public:
  ChangeTicket ticket() const { return ticket_; }
  // `outcome` is that of ticket() (checked). kEnrolmentNotStored, or why it was refused: close.
  Result<PeerToken> complete(const ChangeOutcome& outcome) &&;

 private:
  friend class ProvisionalPeer;
  EnrolmentPending(ChangeTicket ticket, PeerToken token)
      : ticket_(ticket), token_(std::move(token)) {}

  ChangeTicket ticket_;
  PeerToken token_;
};

using Confirmation = std::variant<PeerToken, EnrolmentPending>;

// M3 was good, but nobody has yet shown that he holds the PSK.
class ProvisionalPeer {
 public:
  const NodeId& node_id() const { return node_id_; }
  const std::string& name() const { return name_; }
  const LinkParameters& parameters() const { return parameters_; }
  // Which PSK the client used. Not proven before confirm().
  const wire::PskSelector& selector() const { return selector_; }
  // H(T3), for RESUME.
  const TranscriptHash& transcript() const { return transcript_; }
  std::optional<wire::ReceiverId> client_receiver() const { return client_receiver_; }

  // For the ratchet of the link; once (checked).
  LinkSecrets take_secrets();
  // The plaintext of the server's first record. The addresses are only promised: they are the
  // peer's when confirm() has given its token.
  ByteVector ok_record(std::optional<wire::AssignedAddress> ipv4,
                       std::optional<wire::AssignedAddress> ipv6, Entropy& entropy) const;

  // The client's first record has opened under the session keys. The registry is asked again: the
  // client may have been revoked, or the invite spent, in between. Errors as of
  // ClientRegistry::find() and kRegistryBusy: close the link.
  Result<Confirmation> confirm(ClientRegistry& registry, UnixTime now) &&;

 private:
  friend class ServerAwaitM3;
  ProvisionalPeer() = default;

  NodeId node_id_;
  std::string name_;
  wire::ClientLimits limits_;
  wire::PskSelector selector_;
  LinkParameters parameters_;
  TranscriptHash transcript_{};
  wire::SessionId session_id_{};
  std::optional<wire::ReceiverId> client_receiver_;
  std::optional<LinkSecrets> secrets_;
  SharedPsk psk_;       // the registry's own, not a copy
  SharedPsk enrolled_;  // only after an invite
};

class ServerAwaitM3 {
 public:
  Result<ProvisionalPeer> handle(Bytes m3, const ClientRegistry& registry, UnixTime now,
                                 Entropy& entropy) &&;

 private:
  friend class ServerCheckedM1;
  ServerAwaitM3(HandshakeSecret secret, Transcript transcript, std::optional<TlsExporter> exporter,
                const LinkParameters& parameters, std::optional<wire::ReceiverId> client_receiver)
      : secret_(std::move(secret)),
        transcript_(std::move(transcript)),
        exporter_(std::move(exporter)),
        parameters_(parameters),
        client_receiver_(client_receiver) {}
  Result<ProvisionalPeer> admit(Bytes m3, const ClientRegistry& registry, UnixTime now,
                                Entropy& entropy);

  HandshakeSecret secret_;
  Transcript transcript_;
  std::optional<TlsExporter> exporter_;  // stream carrier only
  LinkParameters parameters_;
  std::optional<wire::ReceiverId> client_receiver_;
};

struct ServerAnswer {
  ByteVector m2;
  ServerAwaitM3 next;
};

// M1 is well-formed and its values can be agreed on. Nothing expensive has been done yet.
class ServerCheckedM1 {
 public:
  // The nonce's first 16 bytes: what the replay store keeps (datagram carrier).
  ReplayId replay_id() const;

  // Stream carrier. kBadPublicKey when a value of M1 fails its check.
  Result<ServerAnswer> answer(HandshakeGrant grant, UnixTime server_time, Entropy& entropy) &&;
  // Datagram carrier: only with M1's id on disk. `receiver` is this server's for the link.
  Result<ServerAnswer> answer(HandshakeGrant grant, ReplayGrant replay, wire::ReceiverId receiver,
                              UnixTime server_time, Entropy& entropy) &&;

 private:
  friend class ServerAwaitM1;
  ServerCheckedM1(const ServerConfig& config, std::variant<StreamAccess, DatagramAccess> access,
                  ByteVector record, const wire::M1& m1, const LinkParameters& parameters)
      : config_(config),
        access_(std::move(access)),
        record_(std::move(record)),
        m1_(m1),
        parameters_(parameters) {}
  Result<ServerAnswer> answer(std::optional<wire::ReceiverId> receiver, UnixTime server_time,
                              Entropy& entropy);

  ServerConfig config_;
  std::variant<StreamAccess, DatagramAccess> access_;
  ByteVector record_;
  wire::M1 m1_;
  LinkParameters parameters_;
};

class ServerAwaitM1 {
 public:
  ServerAwaitM1(const ServerConfig& config, StreamAccess access);
  ServerAwaitM1(const ServerConfig& config, DatagramAccess access);

  // `m1` is the whole message: on the stream carrier with its front seal, on the datagram carrier
  // as reassembled from opened fragments. `now` is looked at on the datagram carrier only.
  Result<ServerCheckedM1> handle(Bytes m1, UnixTime now) &&;

 private:
  Result<ServerCheckedM1> check(Bytes m1, UnixTime now);

  ServerConfig config_;
  std::variant<StreamAccess, DatagramAccess> access_;
};

// For whoever keeps a handshake in one place.
using ServerHandshake = std::variant<ServerAwaitM1, ServerCheckedM1, ServerAwaitM3, ProvisionalPeer,
                                     EnrolmentPending, PeerToken>;

}  // namespace karst::keys
