#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver/link_look_ups.h"
#include "driver/link_streams.h"
#include "driver/ports.h"
#include "driver/udp_waiting.h"
#include "stream/proxy/egress_policy.h"
#include "stream/proxy/target.h"
#include "stream/proxy/udp_relay.h"

namespace karst::driver {

// The server's end of one UDP association: one socket per address family, opened when it is first
// needed; names are resolved here and the answer kept for a while; every address is asked of the
// policy. Datagrams that cannot be sent, or that wait for a name beyond what `waiting` and
// `look_ups` allow the link, are dropped, as UDP does. `done` is called once, from a callback, and
// may destroy the object.
class UdpEgress final : private StreamUser {
 public:
  UdpEgress(LinkStreams& streams, StreamId stream, const stream::proxy::EgressPolicy& policy,
            UdpWaiting& waiting, LinkLookUps& look_ups, Ports& ports, Callback done);
  ~UdpEgress();
  UdpEgress(const UdpEgress&) = delete;
  UdpEgress& operator=(const UdpEgress&) = delete;

  // Once, outside of a callback of this object: answers the OPEN.
  void start();

 private:
  class Socket;
  // A name under resolution, or its address. Datagrams wait for the first answer, few of them.
  struct Name {
    std::unique_ptr<Lookup> lookup;
    std::optional<IpAddress> address;
    TimePoint good_until;
    bool asked_v6 = false;
    std::vector<std::pair<std::uint16_t, ByteVector>> waiting;
  };

  void on_answered(const wire::OpenResult&) override {}
  void on_stream_readable() override;
  void on_stream_writable() override {}
  void on_stream_finished() override { finish(); }
  void on_stream_ended(wire::ResetReason) override;

  void send_to_name(const std::string& name, std::uint16_t port, Bytes payload);
  void look_up(const std::string& name, AddressFamily family);
  void handle_answer(std::string name, const Result<std::vector<IpAddress>>& answer);
  // False: the client's rate is used up and the datagram is dropped.
  bool paced(Pace::Direction direction, std::size_t bytes);
  void send_to(const Endpoint& to, Bytes payload);
  void receive_from(UdpSocket& socket);
  void finish();

  LinkStreams* streams_;
  const StreamId stream_;
  const stream::proxy::EgressPolicy& policy_;
  UdpWaiting& waiting_;
  LinkLookUps& look_ups_;
  Ports& ports_;
  Callback done_;
  stream::proxy::UdpRelayTable table_;
  std::map<std::string, Name> names_;
  std::unique_ptr<Socket> v4_, v6_;
};

}  // namespace karst::driver
