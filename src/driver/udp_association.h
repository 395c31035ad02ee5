#pragma once

#include <memory>
#include <optional>

#include "driver/link_streams.h"
#include "driver/ports.h"

namespace karst::driver {

// The client's end of one SOCKS5 UDP association: a UDP socket on the address of the local proxy,
// for the application that asked, and a stream of the link for its datagrams. `ended` is called
// once, from a callback, when the link's side is gone; the owner ends it with the application's
// TCP connection (RFC 1928 section 7).
class UdpAssociation final : private UdpSocket::Handler, private StreamUser {
 public:
  // Opens the socket on `local`; datagrams count only from `application` (any port of it).
  static Result<std::unique_ptr<UdpAssociation>> create(const IpAddress& local,
                                                        const IpAddress& application,
                                                        LinkStreams& streams, Ports& ports,
                                                        Callback ended);
  // Through create() only.
  UdpAssociation(std::unique_ptr<UdpSocket> socket, const IpAddress& application,
                 LinkStreams& streams, StreamId stream, Ports& ports, Callback ended);
  ~UdpAssociation();

  // Where the application sends to.
  Endpoint bound() const { return socket_->local(); }

 private:
  void on_readable() override;
  void on_answered(const wire::OpenResult& result) override;
  void on_stream_readable() override;
  void on_stream_writable() override {}
  void on_stream_finished() override {}
  void on_stream_ended(wire::ResetReason) override;

  std::unique_ptr<UdpSocket> socket_;
  const IpAddress application_;
  LinkStreams* streams_;
  const StreamId stream_;
  Ports& ports_;
  Callback ended_;
  std::optional<Endpoint> reply_to_;  // where the application's last datagram came from
};

}  // namespace karst::driver
