#include "platform/linux/blocking_tcp.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "platform/linux/io_error.h"
#include "platform/linux/socket_address.h"
#include "platform/linux/tcp_info.h"
#include "platform/linux/wait_ready.h"

namespace karst::platform {
namespace {

constexpr int kBacklog = 512;

int get(int fd, int name) {
  int value = 0;
  socklen_t length = sizeof value;
  return ::getsockopt(fd, SOL_SOCKET, name, &value, &length) == 0 ? value : 0;
}

}  // namespace

Result<BlockingTcp> BlockingTcp::connect(const Endpoint& to, TimePoint deadline) {
  const SocketAddress address = SocketAddress::from(to);
  UniqueFd fd(::socket(SocketAddress::family_of(to.address),
                       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  const int on = 1;
  ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (::connect(fd.get(), address.get(), address.length) != 0) {
    if (errno != EINPROGRESS) return io_error(errno);
    TRY(wait_ready(fd.get(), POLLOUT, deadline));
    if (const int error = get(fd.get(), SO_ERROR); error != 0) return io_error(error);
  }
  return BlockingTcp(std::move(fd));
}

Result<std::size_t> BlockingTcp::receive(MutableBytes space, TimePoint deadline) {
  for (;;) {
    const ssize_t got = ::recv(fd_.get(), space.data(), space.size(), 0);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EAGAIN && errno != EINTR) return io_error(errno);
    TRY(wait_ready(fd_.get(), POLLIN, deadline));
  }
}

Result<std::size_t> BlockingTcp::send(Bytes data, TimePoint deadline) {
  for (;;) {
    const ssize_t put = ::send(fd_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    if (put >= 0) return static_cast<std::size_t>(put);
    if (errno != EAGAIN && errno != EINTR) return io_error(errno);
    TRY(wait_ready(fd_.get(), POLLOUT, deadline));
  }
}

Result<void> BlockingTcp::send_all(Bytes data, TimePoint deadline) {
  while (!data.empty()) {
    TRY_ASSIGN(const std::size_t put, send(data, deadline));
    data = data.subspan(put);
  }
  return {};
}

Result<void> BlockingTcp::receive_all(MutableBytes space, TimePoint deadline) {
  while (!space.empty()) {
    TRY_ASSIGN(const std::size_t got, receive(space, deadline));
    if (got == 0) return driver::kReset;
    space = space.subspan(got);
  }
  return {};
}

Result<void> BlockingTcp::end_sending() {
  if (::shutdown(fd_.get(), SHUT_WR) != 0) return io_error(errno);
  return {};
}

void BlockingTcp::abort_on_close() {
  const linger hard{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
}

driver::TcpInfo BlockingTcp::info() const { return read_tcp_info(fd_.get()); }

std::string BlockingTcp::congestion_control() const {
  std::array<char, 16> name{};
  socklen_t length = name.size() - 1;
  if (::getsockopt(fd_.get(), IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name.data();
}

BlockingTcp::Buffers BlockingTcp::buffers() const {
  return {.send = static_cast<std::uint64_t>(get(fd_.get(), SO_SNDBUF)),
          .receive = static_cast<std::uint64_t>(get(fd_.get(), SO_RCVBUF))};
}

Result<BlockingListener> BlockingListener::open(const Endpoint& at) {
  const SocketAddress address = SocketAddress::from(at);
  UniqueFd fd(::socket(SocketAddress::family_of(at.address),
                       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(fd.get(), address.get(), address.length) != 0 || ::listen(fd.get(), kBacklog) != 0) {
    return io_error(errno);
  }
  return BlockingListener(std::move(fd));
}

Result<BlockingTcp> BlockingListener::accept(TimePoint deadline) {
  for (;;) {
    UniqueFd fd(::accept4(fd_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (fd.valid()) {
      const int on = 1;
      ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      return BlockingTcp(std::move(fd));
    }
    if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) return io_error(errno);
    TRY(wait_ready(fd_.get(), POLLIN, deadline));
  }
}

}  // namespace karst::platform
