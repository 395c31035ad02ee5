#pragma once

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
  // About once a second; reads TCP_INFO.
  void sample(TcpStream& socket, TimePoint now);

  tunnel::LimiterAccount& account() { return account_; }
  const TcpInfo& tcp() const { return tcp_; }

 private:
  tunnel::LimiterAccount account_;
  TcpInfo tcp_;
};

}  // namespace karst::driver
