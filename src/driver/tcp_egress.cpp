#include "driver/tcp_egress.h"

#include <utility>

#include "driver/open_codes.h"

namespace karst::driver {

TcpEgress::TcpEgress(stream::proxy::Target target, LinkStreams& streams, StreamId stream,
                     const stream::proxy::EgressPolicy& policy, LinkLookUps& look_ups, Ports& ports,
                     Callback done)
    : streams_(&streams),
      stream_(stream),
      ports_(ports),
      done_(std::move(done)),
      dialer_(
          std::move(target), policy, ports,
          [this](std::unique_ptr<TcpStream> socket, stream::proxy::OpenResult result) {
            handle_dialed(std::move(socket), result);
          },
          {}, &look_ups) {
  streams_->attach(stream_, *this);
}

TcpEgress::~TcpEgress() {
  if (streams_ == nullptr) return;
  streams_->detach(stream_);
  streams_->mux().reset(stream_, wire::ResetReason::cancelled);
  streams_->request_flush();
}

void TcpEgress::handle_dialed(std::unique_ptr<TcpStream> socket, stream::proxy::OpenResult result) {
  LinkStreams& streams = *std::exchange(streams_, nullptr);
  if (socket == nullptr) {
    streams.detach(stream_);
    streams.mux().refuse(stream_, to_open_code(result));
    streams.request_flush();
    return finish();
  }
  streams.mux().accept(stream_, socket->local());
  streams.request_flush();
  relay_ =
      std::make_unique<TcpRelay>(std::move(socket), streams, stream_, ports_, [this] { finish(); });
  relay_->start({.stream = finished_, .socket = false});
}

void TcpEgress::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  finish();
}

void TcpEgress::finish() {
  if (done_) std::exchange(done_, nullptr)();
}

}  // namespace karst::driver
