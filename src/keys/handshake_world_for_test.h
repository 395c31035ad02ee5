#pragma once

// For tests: a server with its registry, a client, and the two ends of one TLS connection.

#include <optional>
#include <string>
#include <utility>

#include "base/prng.h"
#include "keys/admission.h"
#include "keys/client_handshake.h"
#include "keys/client_registry.h"
#include "keys/server_handshake.h"

namespace karst::keys {

inline constexpr UnixTime kWorldNow{1'800'000'000};
inline constexpr std::string_view kWorldAuthority = "tunnel.example.org";

struct HandshakeWorld {
  SeededEntropy entropy{77};
  Identity server_identity{generate_identity(entropy)};
  Identity client_identity{generate_identity(entropy)};
  FrontSecrets front{FrontSecret::random(entropy), 1};
  ClientPsk psk = ClientPsk::random(entropy);
  ClientRegistry registry;
  HandshakeLimiter limiter{kHandshakesPerSecondMax};
  TimePoint now{std::chrono::hours(5)};
  UnixTime server_wall = kWorldNow;
  LocalAdvert client_local{
      .rekey_window = 512,
      .policy = kExtreme,
      .policy_floor = kExtreme,
      .capabilities = {.aes = true, .fec = true, .stream_carrier = true, .datagram_carrier = true}};
  LocalAdvert server_local = client_local;
  wire::ServerLimits server_limits;

  ClientConfig client_config() const {
    return {&client_identity, server_identity.node_id(), client_local};
  }
  ServerConfig server_config() const { return {&server_identity, server_local, server_limits}; }

  // Writes whatever the registry wants written.
  void settle(WriteOutcome outcome = WriteOutcome::durable) {
    while (registry.poll_write(now)) registry.written(outcome, now);
  }
  void register_client() {
    CHECK(registry.add_client(client_identity.node_id(), "alice", psk.duplicate(), {}).ok());
    settle();
    while (const auto outcome = registry.poll_outcome()) CHECK(outcome->result().ok());
  }
  wire::InviteId invite(std::string_view name = "alice", std::int64_t lifetime = 86'400) {
    const auto id = entropy.bytes<16>();
    CHECK(registry.add_invite(id, name, psk.duplicate(), {kWorldNow.seconds + lifetime}, {}).ok());
    settle();
    while (const auto outcome = registry.poll_outcome()) CHECK(outcome->result().ok());
    return id;
  }

  PskCredential by_psk(wire::PskGeneration generation = wire::PskGeneration::zero) {
    return {generation, psk.duplicate()};
  }
  InviteCredential by_invite(const wire::InviteId& id) { return {id, psk.duplicate()}; }

  // One TLS connection: what both ends export.
  TlsExporter new_connection() { return TlsExporter::random(entropy); }
  Result<StreamAccess> admit(const TlsExporter& server_end, std::string_view cookie) {
    AdmissionGate gate(server_end.duplicate());
    return gate.admit(cookie, kWorldAuthority, front, server_wall);
  }
  StreamAccess admitted(const TlsExporter& connection) {
    return *admit(connection,
                  make_admission_cookie(front.current(), connection, kWorldAuthority, entropy));
  }

  ClientHello hello(const TlsExporter& connection, ClientCredential credential) {
    return start_client(client_config(), front.current().duplicate(), std::move(credential),
                        StreamBinding{connection.duplicate()}, entropy);
  }
  Result<ServerAnswer> answer(const TlsExporter& connection, Bytes m1) {
    TRY_ASSIGN(ServerCheckedM1 checked,
               ServerAwaitM1(server_config(), admitted(connection)).handle(m1, server_wall));
    TRY_ASSIGN(HandshakeGrant grant, limiter.admit(IpAddress(), now));
    now += std::chrono::milliseconds(2);
    return std::move(checked).answer(std::move(grant), server_wall, entropy);
  }

  // Both sides after M3.
  struct Pair {
    ClientReply client;
    ProvisionalPeer server;
  };
  Result<Pair> shake_hands(ClientCredential credential) {
    const TlsExporter connection = new_connection();
    ClientHello hello_sent = hello(connection, std::move(credential));
    TRY_ASSIGN(ServerAnswer answered, answer(connection, hello_sent.m1));
    TRY_ASSIGN(ClientReply reply, std::move(hello_sent.next).handle(answered.m2, entropy));
    TRY_ASSIGN(ProvisionalPeer peer,
               std::move(answered.next).handle(reply.m3, registry, server_wall, entropy));
    return Pair{std::move(reply), std::move(peer)};
  }
};

// Whether both sides hold the same secrets, which is what a first record under them would show.
inline bool same_secrets(const LinkSecrets& a, const LinkSecrets& b) {
  return equal(a.client_to_server_root.expose(), b.client_to_server_root.expose()) &&
         equal(a.server_to_client_root.expose(), b.server_to_client_root.expose()) &&
         equal(a.psk_link.expose(), b.psk_link.expose()) &&
         equal(a.resume_key.expose(), b.resume_key.expose());
}

}  // namespace karst::keys
