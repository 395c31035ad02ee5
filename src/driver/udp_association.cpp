#include "driver/udp_association.h"

#include <array>
#include <utility>

#include "driver/open_codes.h"
#include "stream/proxy/socks5_udp.h"

namespace karst::driver {
namespace {

// Datagrams moved in one turn, per direction.
constexpr int kBatch = 64;

}  // namespace

Result<std::unique_ptr<UdpAssociation>> UdpAssociation::create(const IpAddress& local,
                                                               const Endpoint& application,
                                                               LinkStreams& streams, Ports& ports,
                                                               Callback ended) {
  TRY_ASSIGN(auto socket, ports.open_udp({local, 0}));
  TRY_ASSIGN(const StreamId stream, streams.mux().open({}));
  return std::make_unique<UdpAssociation>(std::move(socket), application, streams, stream, ports,
                                          std::move(ended));
}

UdpAssociation::UdpAssociation(std::unique_ptr<UdpSocket> socket, const Endpoint& application,
                               LinkStreams& streams, StreamId stream, Ports& ports, Callback ended)
    : socket_(std::move(socket)),
      application_(application),
      streams_(&streams),
      stream_(stream),
      ports_(ports),
      ended_(std::move(ended)) {
  socket_->set_handler(*this);
  streams_->attach(stream_, *this);
  streams_->request_flush();
}

UdpAssociation::~UdpAssociation() {
  if (streams_ == nullptr) return;
  streams_->detach(stream_);
  streams_->mux().reset(stream_, wire::ResetReason::cancelled);
  streams_->request_flush();
}

bool UdpAssociation::is_application(const Endpoint& from) const {
  const bool is_port = application_.port == 0 || from.port == application_.port;
  return is_port && from.address == application_.address;
}

void UdpAssociation::on_readable() {
  std::array<std::uint8_t, 65'536> space;
  for (int i = 0; i < kBatch; ++i) {
    const auto received = socket_->receive(space);
    if (!received.ok()) break;
    if (!is_application(received->from) || streams_ == nullptr) continue;
    const auto datagram = stream::proxy::parse_socks_datagram(Bytes(space).first(received->size));
    if (!datagram.ok()) continue;
    application_ = received->from;
    // One that fits no record is dropped, as by any narrow path.
    static_cast<void>(streams_->mux().send_datagram(
        stream_, {to_wire_target(datagram->target), datagram->payload}, ports_.now()));
  }
  if (streams_ != nullptr) streams_->request_flush();
}

void UdpAssociation::on_stream_readable() {
  std::array<std::uint8_t, wire::kFramePayloadBytesMax> space;
  std::array<std::uint8_t,
             stream::proxy::kSocksDatagramHeaderBytesMax + wire::kFramePayloadBytesMax>
      out;
  while (const auto datagram = streams_->mux().receive_datagram(stream_, space)) {
    const auto from = to_proxy_target(datagram->peer);
    if (!from || application_.port == 0) continue;
    Writer writer(out);
    stream::proxy::write_socks_datagram_header(*from, writer);
    writer.bytes(datagram->payload);
    // A full socket buffer drops it, as UDP does.
    static_cast<void>(socket_->send(Bytes(out).first(writer.written()), application_));
  }
}

void UdpAssociation::on_answered(const wire::OpenResult& result) {
  if (result.code != wire::OpenCode::ok) on_stream_ended(wire::ResetReason::answer);
}

void UdpAssociation::on_stream_ended(wire::ResetReason) {
  streams_ = nullptr;
  if (ended_) std::exchange(ended_, nullptr)();
}

}  // namespace karst::driver
