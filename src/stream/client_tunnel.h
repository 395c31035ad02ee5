#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/client_handshake.h"
#include "stream/link.h"
#include "stream/tunnel_body.h"
#include "stream/websocket/decoder.h"

namespace karst::stream {

inline constexpr ErrorKind kNotAdmitted{
    "tunnel", "not-admitted",
    "the server does not accept this client: it was revoked, or its invite is spent or expired"};
inline constexpr ErrorKind kTunnelClosed{"tunnel", "closed", "the server ended the tunnel"};
inline constexpr ErrorKind kNotATunnel{"tunnel", "not-a-tunnel",
                                       "the server answers, but not with a tunnel: the invite is "
                                       "outdated or it is another server"};

inline constexpr ErrorKind kUnexpectedText{"tunnel", "unexpected-text",
                                           "the server sent text where records are due"};

// What a client needs to make links. Borrowed things outlive the tunnel.
struct ClientLinkConfig {
  keys::ClientConfig handshake;
  keys::DepthMode depth = keys::DepthMode::automatic;
  mux::Limits limits;  // `streams` comes from the server
  MemoryBudget* budget = nullptr;
  Entropy* entropy = nullptr;
};

// The client's end of the tunnel inside one WebSocket: handshake, then the link. WebSocket bytes
// in; body() is what it sends, from M1 on.
class ClientTunnel {
 public:
  struct Up {
    keys::ClientSession session;
  };
  // The server has stored the enrolment: the invite is spent and this PSK takes its place.
  struct Enrolled {
    keys::ClientPsk psk;
  };
  using Event = std::variant<Up, Enrolled>;

  ClientTunnel(const ClientLinkConfig& config, keys::FrontSecret front,
               keys::ClientCredential credential, keys::TlsExporter exporter);
  ClientTunnel(const ClientTunnel&) = delete;
  ClientTunnel& operator=(const ClientTunnel&) = delete;

  // Bytes of the WebSocket stream. An error ends the tunnel; what body() still has goes out. Every
  // later call gives the same error.
  Result<void> handle_bytes(Bytes bytes, TimePoint now);
  // The server finished the stream.
  Result<void> handle_end();

  // The link once M2 has come; it may be given streams at once, but is up only after Event Up.
  Link* link() { return link_ ? &*link_ : nullptr; }
  TunnelBody& body() { return body_; }
  std::optional<Event> poll_event();
  // What the server signed as its time, once M2 has come.
  std::optional<UnixTime> server_time() const { return server_time_; }

 private:
  struct AwaitEnrolment {
    keys::ClientPsk psk;
  };
  struct Running {};
  using State = std::variant<keys::ClientAwaitM2, keys::ClientAwaitOk, AwaitEnrolment, Running>;

  Result<void> fail(const Error& error, std::uint16_t close_code);
  Result<void> handle_message(const websocket::Message& message, TimePoint now);
  Result<void> handle_m2(Bytes m2, TimePoint now);
  Result<void> handle_record(Bytes record, TimePoint now);
  Error close_error(std::uint16_t code) const;

  ClientLinkConfig config_;
  TunnelBody body_;
  websocket::Decoder decoder_{websocket::Role::client};
  std::optional<State> state_;
  std::optional<Link> link_;
  std::optional<UnixTime> server_time_;
  std::optional<Event> up_;
  std::optional<Event> enrolled_;
  std::optional<Error> failed_;
};

}  // namespace karst::stream
