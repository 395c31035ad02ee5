#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <variant>

#include "base/byte_queue.h"
#include "base/ip.h"
#include "base/memory_budget.h"
#include "base/result.h"
#include "base/time.h"
#include "stream/carrier_connection.h"
#include "stream/cover/http1_connection.h"
#include "stream/server_http2.h"
#include "stream/tls/tls_connection.h"

namespace karst::stream {

// From the accepted connection to the end of the TLS handshake, and without any request.
inline constexpr Duration kTlsHandshakeTime = std::chrono::seconds(20);
inline constexpr Duration kIdleTime = std::chrono::seconds(75);

// The server's end of one TCP connection, bytes in and out: TLS, then HTTP/1.1 or HTTP/2 with the
// site, and on HTTP/2 perhaps the tunnel. This is the whole inward and outward path of the stream
// carrier on a server; each step below knows only its neighbours' types.
//
// The owner calls produce() after each call here and on the tunnel's link, and wake() when
// Site::poll_ready() names the connection.
class ServerConnection final : public CarrierConnection {
 public:
  ServerConnection(const ServerShared& shared, cover::ConnectionKey key, const Endpoint& peer,
                   const Moment& moment);

  bool wants_input() const override;
  MutableBytes input_space() override { return tls_.input_space(); }
  void commit_input(std::size_t filled, const Moment& moment) override;
  void handle_input_end(const Moment& moment) override;
  void produce(const Moment& moment) override;
  std::size_t gather_output(std::span<Bytes> runs) const override {
    return tls_.gather_output(runs);
  }
  void consume_output(std::size_t count) override;
  bool over() const override { return closed_; }

  // What it holds for a visitor of the site; buffers of a peer's tunnel do not count.
  std::size_t held_bytes() const;
  // About once a second: gives buffers back if nothing has moved since the last call.
  void release_idle();

  void wake(const Moment& moment);
  // Ends politely: GOAWAY and close_notify.
  void close(const Moment& moment);
  std::optional<TimePoint> next_deadline() const override;
  void handle_deadline(const Moment& moment) override;

  // Null before HTTP/2 was agreed on.
  ServerHttp2* http2();

 private:
  void start_http(const Moment& moment);
  // Whether there was any.
  bool read_plaintext(const Moment& moment);
  void move_http1(const Moment& moment);
  void shut();
  // To be called at the end of whatever may change held_bytes().
  void charge();

  const ServerShared& shared_;
  const cover::ConnectionKey key_;
  const Endpoint peer_;
  tls::TlsConnection tls_;
  std::variant<std::monostate, std::unique_ptr<cover::Http1Connection>,
               std::unique_ptr<ServerHttp2>>
      http_;
  ByteQueue waiting_;  // plaintext that HTTP/1.1 has not taken yet
  TimePoint idle_since_;
  std::optional<MemoryCharge> charge_;
  bool moved_ = false;  // since release_idle()
  bool input_ended_ = false;
  bool closed_ = false;
};

}  // namespace karst::stream
