#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/client_handshake.h"
#include "stream/carrier_connection.h"
#include "stream/client_tunnel.h"
#include "stream/http2/client_session.h"
#include "stream/scratch.h"
#include "stream/tls/tls_connection.h"

namespace karst::stream {

inline constexpr ErrorKind kNoWebSocket{
    "tunnel", "no-websocket",
    "the server answers as a web site without WebSocket over HTTP/2: is karst running there?"};
inline constexpr ErrorKind kSetupTimeout{"tunnel", "setup-timeout",
                                         "the tunnel was not up in time"};
inline constexpr ErrorKind kServerLeft{"tunnel", "server-left", "the server ended the connection"};
inline constexpr ErrorKind kNotHttp2{"tunnel", "not-http2", "the server does not speak HTTP/2"};

// From the established TCP connection to the link being up.
inline constexpr Duration kSetupTime = std::chrono::seconds(15);

// From the server's SETTINGS on, how long the page's answer is waited for: a tunnel must not depend
// on the site behind the server being quick.
inline constexpr Duration kPageTime = std::chrono::seconds(3);

// What one attempt needs. Borrowed things outlive the connection.
struct ClientConnectionConfig {
  const tls::TlsContext* tls = nullptr;
  std::string authority;    // of the cover site: host, or host:port when not 443
  std::string socket_path;  // the site's public WebSocket
  ClientLinkConfig link;
  Scratch* scratch = nullptr;
  std::int32_t tunnel_window = 256 << 20;
};

// The client's end of one TCP connection, bytes in and out: TLS, then GET / as a browser would, and
// after its answer, or kPageTime, the WebSocket with the admission proof and M1 in one flight; then
// the link. The mirror image of ServerConnection. Output is there at once. poll_event() gives Up
// when the link may be used by others, Enrolled when the invite is spent; after error() the
// connection is over. The owner calls produce() after each call here and on the link.
class ClientConnection final : public CarrierConnection, private http2::Visitor {
 public:
  ClientConnection(const ClientConnectionConfig& config, keys::FrontSecret front,
                   keys::ClientCredential credential, const Moment& moment);

  bool wants_input() const override { return !over(); }
  MutableBytes input_space() override { return tls_.input_space(); }
  void commit_input(std::size_t filled, const Moment& moment) override;
  void handle_input_end(const Moment& moment) override;
  void produce(const Moment& moment) override;
  std::size_t gather_output(std::span<Bytes> runs) const override {
    return tls_.gather_output(runs);
  }
  void consume_output(std::size_t count) override { tls_.consume_output(count); }
  bool over() const override { return closed_ || error_.has_value(); }
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

  std::optional<ClientTunnel::Event> poll_event();
  // Null until M2 has come.
  Link* link() { return tunnel_ ? tunnel_->link() : nullptr; }
  bool up() const { return up_; }
  std::optional<UnixTime> server_time() const;
  // The link has something to send.
  void resume();
  std::int32_t stream_credit() const;
  std::int32_t connection_credit() const;

  // Ends politely: the WebSocket is closed and so is TLS.
  void close(const Moment& moment);
  const std::optional<Error>& error() const { return error_; }
  // For a person: "X25519MLKEM768".
  std::string_view tls_group() const { return tls_.group(); }

 private:
  void on_settings() override;
  void on_response(http2::StreamId stream, http2::ResponseHead head) override;
  void on_data(http2::StreamId stream, Bytes bytes) override;
  void on_end(http2::StreamId stream) override;
  void on_closed(http2::StreamId stream, std::uint32_t code) override;
  void on_goaway(http2::StreamId last, std::uint32_t code) override;

  void start_http();
  void open_socket();
  void fail(const Error& error);

  const ClientConnectionConfig config_;
  std::optional<keys::FrontSecret> front_;
  std::optional<keys::ClientCredential> credential_;
  tls::TlsConnection tls_;
  std::optional<http2::ClientSession> session_;
  std::optional<ClientTunnel> tunnel_;
  http2::StreamId page_ = 0;
  http2::StreamId socket_ = 0;
  bool page_answered_ = false;
  std::optional<TimePoint> page_due_;  // from SETTINGS until the socket is opened
  bool up_ = false;
  bool closed_ = false;
  std::optional<Error> error_;
  TimePoint now_;
  TimePoint deadline_;
};

}  // namespace karst::stream
