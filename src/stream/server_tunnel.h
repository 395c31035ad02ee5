#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/ip.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/client_registry.h"
#include "keys/handshake_limiter.h"
#include "keys/server_handshake.h"
#include "stream/link.h"
#include "stream/tunnel_body.h"
#include "stream/websocket/decoder.h"

namespace karst::stream {

inline constexpr ErrorKind kEarlyDataTooLong{"tunnel", "early-data-too-long",
                                             "a client sent too much before it was admitted"};
inline constexpr ErrorKind kUnexpectedMessage{"tunnel", "unexpected-message",
                                              "a client sent text where records are due"};
inline constexpr ErrorKind kClientClosed{"tunnel", "client-closed", "the client ended the tunnel"};

// What all tunnels of a server share. Borrowed things outlive every tunnel.
struct ServerLinkConfig {
  keys::ServerConfig handshake;
  keys::DepthMode depth = keys::DepthMode::automatic;
  mux::Limits limits;  // `streams` is that of the handshake's limits
  keys::ClientRegistry* registry = nullptr;
  keys::HandshakeLimiter* handshakes = nullptr;
  MemoryBudget* budget = nullptr;
  Entropy* entropy = nullptr;
};

// Sealed records that wait for the peer to be confirmed: session core's bound on early data.
inline constexpr std::size_t kEarlyDataBytesMax = 65'536;

// The server's end of one WebSocket that showed a good admission proof: it becomes a tunnel with a
// good M1, or turns out not to be one. WebSocket bytes in; body() is what it sends.
class ServerTunnel {
 public:
  enum class Verdict : std::uint8_t {
    undecided,     // the first message is not complete; received() has what came
    tunnel,        // a good M1 has come: the socket is ours
    not_a_tunnel,  // let the site have received(), as if nothing had been; nothing was sent
  };
  // A peer exists: streams may be served.
  struct PeerUp {};
  using Event = PeerUp;

  ServerTunnel(const ServerLinkConfig& config, keys::StreamAccess access, const IpAddress& source);
  ServerTunnel(const ServerTunnel&) = delete;
  ServerTunnel& operator=(const ServerTunnel&) = delete;

  // An error ends the tunnel: what body() still has (a close frame) goes out. `why` for the log.
  Result<Verdict> handle_bytes(Bytes bytes, TimePoint now, UnixTime wall);
  Result<void> handle_end() { return kClientClosed; }
  // The registry change of an enrolment has an outcome. Ignored unless it is this tunnel's.
  Result<void> handle_outcome(const keys::ChangeOutcome& outcome, TimePoint now);

  // Ends it: with GOAWAY if its link has failed, then a close frame.
  void close(std::uint16_t code, TimePoint now);

  // All bytes so far, until the verdict about the first message has fallen.
  Bytes received() const { return received_; }
  // Records wait for an enrolment to be on disk: the client gets no credit for what came since.
  bool holding() const { return state_ && std::holds_alternative<keys::EnrolmentPending>(*state_); }
  // A good M1 has come.
  bool is_tunnel() const { return is_tunnel_; }
  // Why it was not a tunnel, for the log.
  const std::optional<Error>& refusal() const { return refusal_; }

  TunnelBody& body() { return body_; }
  const TunnelBody& body() const { return body_; }
  // Null until M3 was good. Streams are served only when peer() is there.
  Link* link() { return link_ ? &*link_ : nullptr; }
  const keys::PeerToken* peer() const { return peer_ ? &*peer_ : nullptr; }
  // Whom M3 named, for the log; not proven before peer().
  std::optional<keys::NodeId> claimed() const { return claimed_; }
  std::optional<Event> poll_event() { return std::exchange(event_, std::nullopt); }

 private:
  struct Running {};
  using State = std::variant<keys::ServerAwaitM1, keys::ServerAwaitM3, keys::ProvisionalPeer,
                             keys::EnrolmentPending, Running>;

  Result<Verdict> handle_first(TimePoint now, UnixTime wall);
  Result<void> handle_m1(Bytes m1, TimePoint now, UnixTime wall);
  Result<void> handle_message(const websocket::Message& message, TimePoint now, UnixTime wall);
  Result<void> handle_m3(Bytes m3, TimePoint now, UnixTime wall);
  Result<void> handle_first_record(Bytes record, TimePoint now, UnixTime wall);
  Result<void> handle_record(Bytes record, TimePoint now);
  void obey(const wire::ClientLimits& limits);
  Result<void> admit(keys::PeerToken token, TimePoint now);
  Error fail(const Error& error, TimePoint now);

  const ServerLinkConfig& config_;
  const IpAddress source_;
  TunnelBody body_;
  websocket::Decoder decoder_{websocket::Role::server};
  std::optional<State> state_;
  ByteVector received_;
  std::optional<Error> refusal_;
  bool is_tunnel_ = false;
  std::optional<Link> link_;
  std::optional<keys::NodeId> claimed_;
  std::optional<keys::PeerToken> peer_;
  std::vector<ByteVector> early_;  // sealed records behind the first, while the peer is unconfirmed
  std::size_t early_bytes_ = 0;
  std::optional<Event> event_;
};

}  // namespace karst::stream
