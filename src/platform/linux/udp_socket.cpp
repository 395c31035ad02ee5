#include "platform/linux/udp_socket.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/check.h"
#include "platform/linux/descriptor_reserve.h"
#include "platform/linux/io_error.h"
#include "platform/linux/socket_address.h"

namespace karst::platform {
namespace {

class OsUdpSocket final : public driver::UdpSocket, private Source {
 public:
  OsUdpSocket(Reactor& reactor, UniqueFd fd, int family)
      : Source(reactor), fd_(std::move(fd)), family_(family) {}

  Result<void> start() {
    want(kReadable);
    return watch(fd_.get(), Trigger::edge);
  }
  void set_handler(Handler& handler) override { handler_ = &handler; }
  Result<Received> receive(MutableBytes space) override;
  Result<void> send(Bytes datagram, const Endpoint& to) override;
  Endpoint local() const override { return local_endpoint(fd_.get()); }

 private:
  void on_ready() override {
    CHECK(handler_ != nullptr);
    handler_->on_readable();
  }

  UniqueFd fd_;
  int family_;
  Handler* handler_ = nullptr;
  std::uint64_t turn_ = 0;
  int received_in_turn_ = 0;
};

Result<driver::UdpSocket::Received> OsUdpSocket::receive(MutableBytes space) {
  if (turn_ != reactor().turn()) {
    turn_ = reactor().turn();
    received_in_turn_ = 0;
  }
  if (received_in_turn_ == kDatagramsPerTurn) return driver::kWouldBlock;
  SocketAddress from;
  ssize_t got;
  do {
    from.length = sizeof from.storage;
    got = ::recvfrom(fd_.get(), space.data(), space.size(), MSG_DONTWAIT, from.get(), &from.length);
  } while (got < 0 && errno == EINTR);
  if (got < 0) {
    if (errno == EAGAIN) clear_ready(kReadable);
    return io_error(errno);
  }
  ++received_in_turn_;
  return Received{static_cast<std::size_t>(got), from.endpoint()};
}

Result<void> OsUdpSocket::send(Bytes datagram, const Endpoint& to) {
  const SocketAddress address = SocketAddress::from(to, family_);
  ssize_t sent;
  do {
    sent = ::sendto(fd_.get(), datagram.data(), datagram.size(), MSG_DONTWAIT | MSG_NOSIGNAL,
                    address.get(), address.length);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return io_error(errno);
  return {};
}

}  // namespace

Result<std::unique_ptr<driver::UdpSocket>> open_udp_socket(Reactor& reactor, const Endpoint& at) {
  const SocketAddress address = SocketAddress::from(at);
  const int family = address.storage.ss_family;
  UniqueFd fd(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  if (in_reserve(fd.get())) return io_error(EMFILE);
  const int off = 0;
  if (family == AF_INET6) ::setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  if (::bind(fd.get(), address.get(), address.length) != 0) return io_error(errno);
  auto socket = std::make_unique<OsUdpSocket>(reactor, std::move(fd), family);
  TRY(socket->start());
  return socket;
}

}  // namespace karst::platform
