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
  // Opens the socket on `local`. Datagrams count only from `application`; port 0 stands for the
  // port of the first that counts. So another program on the same machine can neither send through
  // the association nor draw its answers to itself.
  static Result<std::unique_ptr<UdpAssociation>> create(const IpAddress& local,
                                                        const Endpoint& application,
                                                        LinkStreams& streams, Ports& ports,
                                                        Callback ended);
  // Through create() only.
  UdpAssociation(std::unique_ptr<UdpSocket> socket, const Endpoint& application,
                 LinkStreams& streams, StreamId stream, Ports& ports, Callback ended);
  ~UdpAssociation();

  // Where the application sends to.
  Endpoint bound() const { return socket_->local(); }

 private:
  bool is_application(const Endpoint& from) const;
  void on_readable() override;
  void on_answered(const wire::OpenResult& result) override;
  void on_stream_readable() override;
  void on_stream_writable() override {}
  void on_stream_finished() override {}
  void on_stream_ended(wire::ResetReason) override;

  std::unique_ptr<UdpSocket> socket_;
  Endpoint application_;  // port 0 until it is known
  LinkStreams* streams_;
  const StreamId stream_;
  Ports& ports_;
  Callback ended_;
};

}  // namespace karst::driver
