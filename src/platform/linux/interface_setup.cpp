#include "platform/linux/interface_setup.h"

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <memory>

#include "base/check.h"
#include "driver/ports.h"

namespace karst::platform {
namespace {

struct CloseSocket {
  void operator()(mnl_socket* socket) const { mnl_socket_close(socket); }
};
using Socket = std::unique_ptr<mnl_socket, CloseSocket>;

constexpr std::size_t kMessageBytes = 1024;
using Message = std::array<char, kMessageBytes>;

// Sends one request and waits for the kernel's acknowledgement (RFC 3549 section 2.3.2.2).
Result<void> request(mnl_socket* socket, nlmsghdr* header, unsigned sequence) {
  header->nlmsg_seq = sequence;
  if (mnl_socket_sendto(socket, header, header->nlmsg_len) < 0) {
    return Error(driver::kSystem, errno);
  }
  alignas(nlmsghdr) std::array<char, 8192> answer{};
  const ssize_t got = mnl_socket_recvfrom(socket, answer.data(), answer.size());
  if (got < 0) return Error(driver::kSystem, errno);
  const unsigned port = mnl_socket_get_portid(socket);
  if (mnl_cb_run(answer.data(), static_cast<std::size_t>(got), sequence, port, nullptr, nullptr) <
      0) {
    return Error(driver::kSystem, errno);
  }
  return {};
}

Result<void> set_link(mnl_socket* socket, int index, const InterfaceSetup& setup,
                      unsigned sequence) {
  alignas(nlmsghdr) Message message{};
  nlmsghdr* header = mnl_nlmsg_put_header(message.data());
  header->nlmsg_type = RTM_NEWLINK;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
  auto* link = static_cast<ifinfomsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifinfomsg)));
  link->ifi_family = AF_UNSPEC;
  link->ifi_index = index;
  link->ifi_flags = IFF_UP;
  link->ifi_change = IFF_UP;
  if (setup.mtu != 0) mnl_attr_put_u32(header, IFLA_MTU, setup.mtu);
  if (setup.queue_length != 0) mnl_attr_put_u32(header, IFLA_TXQLEN, setup.queue_length);
  return request(socket, header, sequence);
}

Result<void> add_address(mnl_socket* socket, int index, const InterfaceSetup::Address& address,
                         unsigned sequence) {
  alignas(nlmsghdr) Message message{};
  nlmsghdr* header = mnl_nlmsg_put_header(message.data());
  header->nlmsg_type = RTM_NEWADDR;
  header->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
  auto* entry = static_cast<ifaddrmsg*>(mnl_nlmsg_put_extra_header(header, sizeof(ifaddrmsg)));
  entry->ifa_family = address.address.is_v4() ? AF_INET : AF_INET6;
  entry->ifa_prefixlen = static_cast<std::uint8_t>(address.prefix_bits);
  entry->ifa_flags = IFA_F_NODAD;
  entry->ifa_index = static_cast<unsigned>(index);
  const Bytes bytes = address.address.bytes();
  mnl_attr_put(header, IFA_LOCAL, bytes.size(), bytes.data());
  mnl_attr_put(header, IFA_ADDRESS, bytes.size(), bytes.data());
  return request(socket, header, sequence);
}

}  // namespace

Result<void> set_up_interface(const InterfaceSetup& setup) {
  const int index = static_cast<int>(if_nametoindex(setup.name.c_str()));
  if (index == 0) return Error(driver::kSystem, errno);
  const Socket socket(mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC));
  if (!socket) return Error(driver::kSystem, errno);
  if (mnl_socket_bind(socket.get(), 0, MNL_SOCKET_AUTOPID) < 0) {
    return Error(driver::kSystem, errno);
  }
  unsigned sequence = 1;
  TRY(set_link(socket.get(), index, setup, sequence));
  for (const InterfaceSetup::Address& address : setup.addresses) {
    TRY(add_address(socket.get(), index, address, ++sequence));
  }
  return {};
}

}  // namespace karst::platform
