#include "platform/linux/probe_socket.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "driver/ports.h"
#include "platform/linux/io_error.h"
#include "platform/linux/socket_address.h"
#include "platform/linux/wait_ready.h"

namespace karst::platform {
namespace {

// What may wait for us at 1 Gbit/s while another process has the processor.
constexpr int kReceiveBytes = 4 << 20;

bool set(int fd, int level, int name, int value) {
  return ::setsockopt(fd, level, name, &value, sizeof value) == 0;
}

template <class T>
T control_value(const cmsghdr* header) {
  T value{};
  std::memcpy(&value, CMSG_DATA(header), sizeof value);
  return value;
}

}  // namespace

Result<ProbeSocket> ProbeSocket::open(const Endpoint& at) {
  const SocketAddress address = SocketAddress::from(at);
  UniqueFd fd(::socket(SocketAddress::family_of(at.address), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return io_error(errno);
  const bool ready = set(fd.get(), SOL_SOCKET, SO_RCVBUF, kReceiveBytes) &&
                     set(fd.get(), SOL_SOCKET, SO_TIMESTAMPNS, 1) &&
                     set(fd.get(), IPPROTO_UDP, UDP_GRO, 1);
  if (!ready || ::bind(fd.get(), address.get(), address.length) != 0) return io_error(errno);
  return ProbeSocket(std::move(fd));
}

Result<void> ProbeSocket::send(Bytes datagrams, std::size_t each, const Endpoint& to) {
  SocketAddress address = SocketAddress::from(to);
  iovec part{.iov_base = const_cast<std::uint8_t*>(datagrams.data()), .iov_len = datagrams.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(std::uint16_t))> control{};
  msghdr message{};
  message.msg_name = address.get();
  message.msg_namelen = address.length;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (datagrams.size() > each) {
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = IPPROTO_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto size = static_cast<std::uint16_t>(each);
    std::memcpy(CMSG_DATA(header), &size, sizeof size);
  }
  while (::sendmsg(fd_.get(), &message, 0) < 0) {
    if (errno != EINTR) return io_error(errno);
  }
  return {};
}

Result<ProbeSocket::Received> ProbeSocket::receive(TimePoint deadline) {
  for (;;) {
    TRY(wait_ready(fd_.get(), POLLIN, deadline));
    SocketAddress from;
    iovec part{.iov_base = space_.data(), .iov_len = space_.size()};
    alignas(cmsghdr) std::array<char, 256> control{};
    msghdr message{};
    message.msg_name = from.get();
    message.msg_namelen = from.length;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t got = ::recvmsg(fd_.get(), &message, MSG_DONTWAIT);
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      return io_error(errno);
    }
    Received received{.data = Bytes(space_).first(static_cast<std::size_t>(got)),
                      .each = static_cast<std::size_t>(got),
                      .at = {},
                      .from = from.endpoint()};
    for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr;
         header = CMSG_NXTHDR(&message, header)) {
      if (header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_TIMESTAMPNS) {
        const auto time = control_value<timespec>(header);
        received.at = TimePoint(std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec));
      } else if (header->cmsg_level == IPPROTO_UDP && header->cmsg_type == UDP_GRO) {
        received.each = static_cast<std::size_t>(control_value<int>(header));
      }
    }
    return received;
  }
}

}  // namespace karst::platform
