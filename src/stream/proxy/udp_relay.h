#pragma once

#include <list>
#include <map>

#include "base/ip.h"
#include "base/time.h"
#include "stream/proxy/limits.h"

namespace karst::stream::proxy {

// Which remote endpoints may send to one UDP association at the server. In the words of RFC 4787:
// the mapping is endpoint-independent (the driver uses one socket for the association, so that
// hole punching works), the filtering address and port dependent: a datagram passes only from an
// endpoint that the client has sent to within five minutes. The looser filters of section 5 would
// let anyone who finds the port send to an application that believes itself behind a tunnel; what
// they would win, answers from another port than the one asked, hardly any protocol needs.
//
// Traffic of either direction keeps an endpoint, save that port 53 is forgotten soon after its
// answer. Beyond kUdpTargetsMax the endpoint that was silent longest is forgotten. There is no
// timer: what has expired is found when it is asked for, and memory is bounded by the table. The
// destination policy is asked before (egress_policy.h).
class UdpRelayTable {
 public:
  void handle_sent(const Endpoint& to, TimePoint now);
  // Whether a datagram from there may go to the client.
  bool handle_received(const Endpoint& from, TimePoint now);

  std::size_t size() const { return by_endpoint_.size(); }

 private:
  struct Entry {
    Endpoint endpoint;
    TimePoint last;
    Duration keep;
  };
  using Order = std::list<Entry>;  // the most recently used first

  void forget_expired(TimePoint now);

  Order order_;
  std::map<Endpoint, Order::iterator> by_endpoint_;
};

}  // namespace karst::stream::proxy
