#pragma once

#include <optional>
#include <string>

#include "base/ip.h"
#include "base/memory_budget.h"
#include "base/trace.h"
#include "keys/admission.h"
#include "stream/http2/server_session.h"
#include "stream/scratch.h"
#include "stream/server_tunnel.h"
#include "stream/site_streams.h"

namespace karst::stream {

inline constexpr TraceKind kTraceProofRefused{
    TraceLevel::info, "admission-refused",
    "a WebSocket came with an admission proof that does not count; it got the site's socket"};
inline constexpr TraceKind kTraceNotATunnel{
    TraceLevel::info, "hello-refused",
    "an admitted WebSocket opened with something else than a handshake; it got the site's socket"};
inline constexpr TraceKind kTraceTunnelEnded{TraceLevel::info, "tunnel-ended", "a tunnel ended"};
inline constexpr TraceKind kTraceClientRefused{TraceLevel::warning, "client-refused",
                                               "a client was not accepted"};
inline constexpr TraceKind kTraceClientUp{TraceLevel::info, "client-up", "a client is connected"};

inline constexpr ErrorKind kAdmissionTimeout{"tunnel", "admission-timeout",
                                             "a client did not finish its handshake in time"};
// From M1 to the client's first record: as long as the public socket waits for a sign of life.
inline constexpr Duration kAdmissionTime = std::chrono::seconds(75);
// From the end of a tunnel to the end of its connection, whatever the client does.
inline constexpr Duration kTunnelEndTime = std::chrono::seconds(5);

// What the connections of a server share. Everything borrowed outlives them.
struct ServerShared {
  const tls::TlsContext* tls = nullptr;
  cover::Handler* site = nullptr;
  std::string socket_path;
  const keys::FrontSecrets* front = nullptr;  // null: a site without a tunnel
  ServerLinkConfig link;
  Scratch* scratch = nullptr;
  // What connections hold for the site's visitors. It is charged and not enforced here: whoever
  // owns the connections ends some when it is over. Null: not counted.
  MemoryBudget* visitors = nullptr;
  TraceSink* trace = nullptr;
  // Credit that a client gets once it is a peer, for its stream and the connection. What arrives
  // is handed on at once and bounded by the multiplexer's own credit.
  std::int32_t tunnel_window = 256 << 20;
};

// The HTTP/2 side of one server connection: the site's requests, and at most one tunnel. Plaintext
// in and out. The owner calls pump() after feed(), and polls until nothing comes.
class ServerHttp2 final : private http2::Visitor {
 public:
  ServerHttp2(const ServerShared& shared, cover::ConnectionKey key, const IpAddress& source,
              tls::Exporter exporter);

  Result<void> feed(Bytes plaintext, const cover::Moment& moment);
  // Lets exchanges move that can; after feed(), when the site named the connection, and after any
  // call on the tunnel's link.
  void pump(const cover::Moment& moment);
  std::size_t poll_output(MutableBytes space, const cover::Moment& moment);

  // GOAWAY; the tunnel's streams are given no more time.
  void close();
  // Asks the client to leave: GOAWAY of the multiplexer, no new streams.
  void drain();
  bool finished() const { return session_.finished(); }
  // Nothing is open: what an idle time-out looks at.
  bool idle() const { return site_.empty(); }
  // Memory held for the site's requests.
  std::size_t held_bytes() const { return site_.held_bytes(); }

  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(const cover::Moment& moment);

  // Null until a good M1 has come.
  ServerTunnel* tunnel() { return tunnel_ && tunnel_->is_tunnel() ? &*tunnel_ : nullptr; }
  // The tunnel's stream is open: false before it began and after it ended.
  bool tunnel_open() const { return tunnel_ && tunnel_->is_tunnel() && tunnel_stream_.has_value(); }
  // ... and nothing has ended it yet: its streams are served.
  bool tunnel_runs() const { return tunnel_open() && !tunnel_->body().closing(); }
  // The registry change of an enrolment has an outcome. Ignored unless it is this tunnel's.
  void handle_outcome(const keys::ChangeOutcome& outcome, TimePoint now);
  std::int32_t stream_credit() const;
  std::int32_t connection_credit() const { return session_.remote_window(http2::kConnection); }
  void resume_tunnel();
  bool has_peer() const { return tunnel_ && tunnel_->peer() != nullptr; }
  // A peer came up since the last call.
  bool poll_peer_up();

 private:
  void on_request(http2::StreamId stream, http2::RequestHead head) override;
  void on_data(http2::StreamId stream, Bytes bytes) override;
  void on_end(http2::StreamId stream) override;
  void on_closed(http2::StreamId stream, std::uint32_t code) override;

  bool is_candidate(const http2::RequestHead& head);
  void end_tunnel(const Error& why);
  const ErrorKind& cause(const Error& end);
  void return_credit();
  void decide(http2::StreamId stream, Bytes bytes);

  const ServerShared& shared_;
  const IpAddress source_;
  keys::AdmissionGate gate_;
  cover::Moment moment_{};
  http2::ServerSession session_;
  SiteStreams site_;
  std::optional<http2::StreamId> tunnel_stream_;
  std::optional<ServerTunnel> tunnel_;
  std::size_t held_credit_ = 0;  // bytes of the tunnel's stream that were not consumed yet
  // Until a peer is up; or until a tunnel that has ended is closed by its client.
  std::optional<TimePoint> tunnel_deadline_;
};

}  // namespace karst::stream
