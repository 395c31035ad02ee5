#pragma once

#include <map>
#include <memory>
#include <unordered_map>
#include <variant>

#include "driver/carrier_socket.h"
#include "driver/link_look_ups.h"
#include "driver/link_meter.h"
#include "driver/link_streams.h"
#include "driver/tcp_egress.h"
#include "driver/udp_egress.h"
#include "driver/udp_waiting.h"
#include "stream/server_connection.h"

namespace karst::driver {

// What the sessions of a server share beyond the carrier. Borrowed; outlives them.
struct ServerSessionShared {
  Ports* ports = nullptr;
  const stream::ServerShared* stream = nullptr;
  const stream::proxy::EgressPolicy* egress = nullptr;
  std::unique_ptr<KemShare> kem{};
  std::size_t udp_waiting_bytes = 0;
  LinkLookUps::Totals look_ups{};
  // Of the clients that have a limit and a link.
  std::map<keys::NodeId, std::weak_ptr<Pace>> paces{};
};

// One accepted TCP connection of a server: its end of the carrier and, once a client is a peer,
// the streams that this client has opened. The owner is told of its end once, from a callback, and
// may destroy it there.
class ServerSession final : private CarrierSocket::Owner {
 public:
  class Owner {
   public:
    virtual void on_session_peer_up(ServerSession& session) = 0;
    virtual void on_session_closed(ServerSession& session) = 0;
    // Something moved that may concern others: registry changes, the site's waiting requests.
    virtual void on_session_progress() = 0;

   protected:
    ~Owner() = default;
  };

  ServerSession(std::unique_ptr<TcpStream> socket, ServerSessionShared& shared,
                stream::cover::ConnectionKey key, Owner& owner);
  ~ServerSession();

  // The site says that an exchange of this connection may move.
  void wake();
  void handle_outcome(const keys::ChangeOutcome& outcome);
  // No new streams; the session ends when the open ones have.
  void drain();
  // Ends now: GOAWAY with this reason where there is a link.
  void end(wire::GoAwayReason reason);

  // What it holds for a visitor of the site.
  std::size_t held_bytes() const { return connection_.held_bytes(); }

  // About once a second: TCP_INFO for the limiter attribution and for the multiplexer's windows;
  // idle buffers are given back.
  void sample(TimePoint now);

  stream::cover::ConnectionKey key() const { return key_; }
  const Endpoint& remote() const { return remote_; }
  // Null unless a peer is on it, and once its tunnel has ended.
  const keys::PeerToken* peer();
  stream::Link* link();
  // Whether on_session_peer_up() was called.
  bool was_admitted() const { return meter_.has_value(); }
  // Null before a peer is up.
  LinkMeter* meter() { return meter_ ? &*meter_ : nullptr; }
  std::uint64_t bytes_read() const { return carrier_.bytes_read(); }
  std::uint64_t bytes_written() const { return carrier_.bytes_written(); }
  TimePoint up_since() const { return up_since_; }
  std::size_t streams() const { return served_.egresses.size(); }
  const std::string& congestion_control() const { return congestion_control_; }

 private:
  using Egress = std::variant<std::unique_ptr<TcpEgress>, std::unique_ptr<UdpEgress>>;
  // The client's streams, and what they hold together.
  struct Served {
    UdpWaiting udp_waiting;
    LinkLookUps look_ups;
    std::unordered_map<StreamId, Egress> egresses{};
  };

  void on_carrier_progress() override;
  void on_carrier_flushed(const CarrierSocket::Flush& flush) override;
  void on_carrier_closed(const std::optional<Error>& error) override;

  void peer_up();
  std::shared_ptr<Pace> pace_of_client();
  void serve(const stream::mux::Opened& opened);
  void egress_done(StreamId stream);
  void close_if_drained();
  stream::Moment moment() const;

  ServerSessionShared& shared_;
  const stream::cover::ConnectionKey key_;
  const Endpoint remote_;
  Owner& owner_;
  std::string congestion_control_;
  stream::ServerConnection connection_;
  CarrierSocket carrier_;
  std::unique_ptr<LinkStreams> streams_;
  Served served_;
  std::optional<LinkMeter> meter_;
  TimePoint up_since_{};
  bool draining_ = false;
};

}  // namespace karst::driver
