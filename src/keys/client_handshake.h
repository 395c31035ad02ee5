#pragma once

#include <cstdint>
#include <optional>
#include <variant>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "crypto/ml_kem.h"
#include "crypto/x25519.h"
#include "keys/client_psk.h"
#include "keys/front_secret.h"
#include "keys/handshake_error.h"
#include "keys/identity.h"
#include "keys/key_schedule.h"
#include "keys/link_secrets.h"
#include "keys/negotiation.h"
#include "keys/transcript.h"
#include "wire/handshake_values.h"
#include "wire/ok.h"

// The client's side of the handshake (docs/protocol/session.md). Each state is a type; a transition
// consumes one and returns the next, and after an error the link is over:
//
//   start_client() -> {m1, ClientAwaitM2}
//   ClientAwaitM2::handle(m2) -> {m3, LinkSecrets, ClientAwaitOk}   send m3, then the first record
//   ClientAwaitOk::handle(plaintext of the server's first record) -> ClientSession: the link is up
//
// No deadline here: the link gives up when its own timer says so. One thread at a time.

namespace karst::keys {

struct ClientConfig {
  const Identity* identity;  // borrowed, never null; outlives the handshake
  NodeId server;
  LocalAdvert local;
};

struct PskCredential {
  wire::PskGeneration generation = wire::PskGeneration::zero;
  ClientPsk psk;
};
struct InviteCredential {
  wire::InviteId id{};
  ClientPsk psk;
};
using ClientCredential = std::variant<PskCredential, InviteCredential>;

// What the carrier contributes. Stream: messages carry their own front seal and no clock is looked
// at. Datagram: the fragment layer seals; `time` is the best estimate of the server's time.
struct StreamBinding {
  TlsExporter exporter;
};
struct DatagramBinding {
  UnixTime time;
  wire::ReceiverId receiver;
};
using ClientBinding = std::variant<StreamBinding, DatagramBinding>;

// The end of the handshake: OK has opened and agrees.
struct ClientSession {
  wire::SessionId session_id{};
  wire::ServerLimits server_limits;
  wire::ClientLimits limits;
  std::optional<wire::AssignedAddress> ipv4;
  std::optional<wire::AssignedAddress> ipv6;
  // Only after an invite: the PSK of generation 1. Store it, and forget the invite, when the next
  // server record after OK has opened, not before: only that one says that the server has stored
  // it.
  std::optional<ClientPsk> enrolled_psk;
};

class ClientAwaitOk {
 public:
  // `ok` is exactly the plaintext of the server's first record.
  Result<ClientSession> handle(Bytes ok) &&;

 private:
  friend class ClientAwaitM2;
  ClientAwaitOk(const LinkParameters& parameters, const wire::ServerLimits& limits,
                std::optional<ClientPsk> enrolled)
      : parameters_(parameters), server_limits_(limits), enrolled_(std::move(enrolled)) {}

  LinkParameters parameters_;
  wire::ServerLimits server_limits_;
  std::optional<ClientPsk> enrolled_;
};

// What M2 leads to. The ratchet of the link starts from `secrets` at once; its first record, which
// may be empty, follows m3 without waiting.
struct ClientReply {
  ByteVector m3;
  LinkSecrets secrets;
  LinkParameters parameters;
  TranscriptHash transcript{};  // H(T3), for RESUME
  UnixTime server_time;  // as signed by the server; for the datagram carrier and `karst status`
  std::optional<wire::ReceiverId> server_receiver;  // datagram carrier only
  wire::ServerLimits limits;
  ClientAwaitOk next;
};

struct ClientHello;

class ClientAwaitM2 {
 public:
  // `m2` is the whole message: on the stream carrier with its front seal, on the datagram carrier
  // as reassembled from opened fragments.
  Result<ClientReply> handle(Bytes m2, Entropy& entropy) &&;

 private:
  friend ClientHello start_client(const ClientConfig& config, FrontSecret front,
                                  ClientCredential credential, ClientBinding binding,
                                  Entropy& entropy);
  // What M2 says, once it is known to be the server's.
  struct Agreed {
    PeerVerified verified;
    LinkParameters parameters;
    wire::ServerLimits limits;
    UnixTime server_time;
    std::optional<wire::ReceiverId> receiver;
  };

  ClientAwaitM2(const ClientConfig& config, FrontSecret front, ClientCredential credential,
                ClientBinding binding, Entropy& entropy);
  ByteVector make_m1(Entropy& entropy);
  Result<ClientReply> reply(Bytes m2, Entropy& entropy);
  Result<HandshakeSecret> agree(Bytes clear);
  Result<Agreed> check_m2(Bytes record);
  ByteVector make_m3(const HandshakeKey& key, Entropy& entropy);

  ClientConfig config_;
  FrontSecret front_;
  ClientCredential credential_;
  ClientBinding binding_;
  Transcript transcript_;
  crypto::X25519KeyPair x25519_;
  crypto::MlKemKeyPair ml_kem_;
};

struct ClientHello {
  ByteVector m1;
  ClientAwaitM2 next;
};
ClientHello start_client(const ClientConfig& config, FrontSecret front, ClientCredential credential,
                         ClientBinding binding, Entropy& entropy);

// For whoever keeps a handshake in one place.
using ClientHandshake = std::variant<ClientAwaitM2, ClientAwaitOk, ClientSession>;

}  // namespace karst::keys
