#pragma once

#include <optional>
#include <string_view>

#include "driver/carrier_socket.h"
#include "stream/link.h"
#include "tunnel/limiter.h"

namespace karst::driver {

// The limiter attribution of one link's sending direction: turns what the layers say after each
// flush into one limiter, and splits the time with a full socket by TCP_INFO.
class LinkMeter {
 public:
  explicit LinkMeter(TimePoint now) : account_(now) {}

  // HTTP/2 credit that is left for sending: 0 or less binds.
  struct Credit {
    std::int32_t stream;
    std::int32_t connection;
  };
  void observe(const stream::Link& link, Credit credit, const CarrierSocket::Flush& flush,
               TimePoint now);
  // About once a second: reads TCP_INFO, and gives the multiplexer the path's round trip and the
  // REPORT that tells the peer about this direction.
  void sample(TcpStream& socket, std::string_view congestion_control, stream::mux::Mux& mux,
              TimePoint now);
  // Takes the peer's REPORTs out of the events that belong to no stream.
  void handle_event(const stream::mux::Event& event);

  tunnel::LimiterAccount& account() { return account_; }
  const TcpInfo& tcp() const { return tcp_; }
  // What the peer said last about its sending direction.
  const std::optional<wire::Report>& peer_report() const { return peer_report_; }

 private:
  tunnel::LimiterAccount account_;
  TcpInfo tcp_;
  std::optional<wire::Report> peer_report_;
};

}  // namespace karst::driver
