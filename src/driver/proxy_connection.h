#pragma once

#include <memory>
#include <optional>

#include "driver/client_node.h"
#include "driver/link_streams.h"
#include "driver/ports.h"
#include "driver/tcp_relay.h"
#include "driver/udp_association.h"
#include "stream/proxy/entry.h"

namespace karst::driver {

// How long a request waits for a link that is not up yet.
inline constexpr Duration kLinkWaitTime = std::chrono::seconds(10);

// One local application's connection to the proxy port: its greeting, then a stream through the
// tunnel (TcpRelay takes over as soon as the protocol has nothing left to do) or a UDP association.
// `done` is called once, from a callback, and must not destroy it: its owner does so at the end of
// the turn.
class ProxyConnection final : private TcpStream::Handler, private StreamUser, private LinkWaiter {
 public:
  ProxyConnection(std::unique_ptr<TcpStream> socket, const stream::proxy::EntryConfig& config,
                  LinkGateway& gateway, Ports& ports, Callback done);
  ~ProxyConnection();
  ProxyConnection(const ProxyConnection&) = delete;
  ProxyConnection& operator=(const ProxyConnection&) = delete;

 private:
  void on_connected(Result<void>) override {}
  void on_readable() override;
  void on_writable() override;
  void on_answered(const wire::OpenResult& result) override;
  void on_stream_readable() override;
  void on_stream_writable() override;
  void on_stream_finished() override;
  void on_stream_ended(wire::ResetReason reason) override;
  void on_link() override;

  void handle_events();
  // Opens what is asked for, or waits for a link to do it.
  void begin(const stream::proxy::EntryEvent& request);
  void begin_connect(const stream::proxy::Target& target, LinkStreams& streams);
  void begin_udp(std::uint16_t source_port, LinkStreams& streams);
  void answer(stream::proxy::OpenResult result, const Endpoint& bound = {});
  void pump();
  bool move_to_stream();
  bool move_from_stream();
  bool write_client();
  void hand_over();
  void update_interest();
  void handle_timer();
  void rearm();
  void finish();

  std::unique_ptr<TcpStream> socket_;
  LinkGateway& gateway_;
  Ports& ports_;
  Callback done_;
  stream::proxy::Entry entry_;
  std::unique_ptr<Timer> timer_;
  std::optional<stream::proxy::EntryEvent> waiting_;  // a request, while there is no link
  std::optional<TimePoint> wait_until_;
  LinkStreams* streams_ = nullptr;
  StreamId stream_{};
  std::unique_ptr<TcpRelay> relay_;
  std::unique_ptr<UdpAssociation> udp_;
  bool client_ended_ = false;
  bool client_end_passed_ = false;
  bool stream_finished_ = false;
  bool end_told_ = false;
  bool write_shut_ = false;
  bool blocked_ = false;
};

}  // namespace karst::driver
