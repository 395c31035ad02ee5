#pragma once

#include <memory>
#include <optional>

#include "driver/dialer.h"
#include "driver/link_look_ups.h"
#include "driver/link_streams.h"
#include "driver/ports.h"
#include "driver/tcp_relay.h"

namespace karst::driver {

// The server's end of one TCP stream: connects to the target, answers the OPEN, and relays. `done`
// is called once, from a callback or from start(), and may destroy the object.
class TcpEgress final : private StreamUser {
 public:
  TcpEgress(stream::proxy::Target target, LinkStreams& streams, StreamId stream,
            const stream::proxy::EgressPolicy& policy, LinkLookUps& look_ups, Ports& ports,
            Callback done);
  ~TcpEgress();
  TcpEgress(const TcpEgress&) = delete;
  TcpEgress& operator=(const TcpEgress&) = delete;

  void start() { dialer_.start(); }

 private:
  void on_answered(const wire::OpenResult&) override {}
  void on_stream_readable() override {}  // optimistic data waits in the stream
  void on_stream_writable() override {}
  void on_stream_finished() override { finished_ = true; }
  void on_stream_ended(wire::ResetReason) override;

  void handle_dialed(std::unique_ptr<TcpStream> socket, stream::proxy::OpenResult result);
  void finish();

  LinkStreams* streams_;
  const StreamId stream_;
  Ports& ports_;
  Callback done_;
  Dialer dialer_;
  std::unique_ptr<TcpRelay> relay_;
  bool finished_ = false;  // the client's FIN came before the relay was there
};

}  // namespace karst::driver
