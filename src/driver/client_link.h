#pragma once

#include <memory>
#include <optional>
#include <string>

#include "driver/carrier_socket.h"
#include "driver/dialer.h"
#include "driver/link_meter.h"
#include "driver/link_streams.h"
#include "stream/client_connection.h"

namespace karst::driver {

inline constexpr ErrorKind kCannotConnect{"link", "cannot-connect",
                                          "no connection to the server could be made"};

// One attempt to have a link, from the dialled address to its end. It does not try again: its
// owner does. The owner is told once of the end, from a callback, and may destroy it there.
class ClientLink final : private CarrierSocket::Owner {
 public:
  class Owner {
   public:
    // Streams may be opened: what they send travels behind M3.
    virtual void on_link_usable(ClientLink& link) = 0;
    virtual void on_link_up(ClientLink& link, const keys::ClientSession& session) = 0;
    // Something moved, or a stream has ended: busy() may have changed.
    virtual void on_link_flushed(ClientLink& link) = 0;
    virtual void on_link_enrolled(keys::ClientPsk psk) = 0;
    virtual void on_link_down(ClientLink& link, const Error& why) = 0;

   protected:
    ~Owner() = default;
  };

  enum class Phase : std::uint8_t { dialing, securing, up, closing };

  // `config` and `policy` are borrowed and outlive the link.
  ClientLink(const stream::ClientConnectionConfig& config, stream::proxy::Target server,
             const stream::proxy::EgressPolicy& policy, keys::FrontSecret front,
             keys::ClientCredential credential, Ports& ports, Owner& owner);
  ~ClientLink();
  void start() { dialer_->start(); }

  Phase phase() const { return phase_; }
  const stream::proxy::Target& server() const { return server_; }
  // Not null from M2 on: streams may be opened before the server has confirmed the client.
  LinkStreams* streams() { return streams_.get(); }
  // A stream has not ended, or not all of it has reached the other side's application.
  bool busy() const {
    return streams_ && (streams_->attached() > 0 || streams_->mux().status().streams > 0);
  }
  stream::Link* link() { return connection_ ? connection_->link() : nullptr; }
  LinkMeter* meter() { return meter_ ? &*meter_ : nullptr; }
  const CarrierSocket* carrier() const { return carrier_ ? &*carrier_ : nullptr; }
  const std::string& congestion_control() const { return congestion_control_; }
  std::optional<UnixTime> server_time() const {
    return connection_ ? connection_->server_time() : std::nullopt;
  }
  TimePoint up_since() const { return up_since_; }

  void sample(TimePoint now);
  // Closes politely; on_link_down follows.
  void close();

 private:
  void handle_dialed(std::unique_ptr<TcpStream> socket, stream::proxy::OpenResult result);
  void on_carrier_progress() override;
  void on_carrier_flushed(const CarrierSocket::Flush& flush) override;
  void on_carrier_closed(const std::optional<Error>& error) override;
  void become_usable();
  void go_up(const keys::ClientSession& session);
  void go_down(const Error& why);
  stream::Moment moment() const { return {ports_.now(), ports_.wall_time()}; }

  const stream::ClientConnectionConfig& config_;
  const stream::proxy::Target server_;
  std::optional<keys::FrontSecret> front_;
  std::optional<keys::ClientCredential> credential_;
  Ports& ports_;
  Owner& owner_;
  Phase phase_ = Phase::dialing;
  std::unique_ptr<Dialer> dialer_;
  std::string congestion_control_;
  std::optional<stream::ClientConnection> connection_;
  std::optional<CarrierSocket> carrier_;
  std::unique_ptr<LinkStreams> streams_;
  std::optional<LinkMeter> meter_;
  TimePoint up_since_{};
};

}  // namespace karst::driver
