#pragma once

#include <sys/socket.h>

#include "base/ip.h"

namespace karst::platform {

// An Endpoint in the kernel's form. A socket of the IPv6 family that also carries IPv4 (dual
// stack) names IPv4 peers by mapped addresses; on our side of this file they are IPv4.
struct SocketAddress {
  // For a socket of `family`: IPv4 becomes mapped for AF_INET6; IPv6 stays IPv6 for AF_INET, and
  // the kernel then answers EAFNOSUPPORT.
  static SocketAddress from(const Endpoint& endpoint, int family);
  static SocketAddress from(const Endpoint& endpoint) {
    return from(endpoint, family_of(endpoint.address));
  }
  static int family_of(const IpAddress& address) { return address.is_v4() ? AF_INET : AF_INET6; }

  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
  // 0.0.0.0:0 for a family that is neither.
  Endpoint endpoint() const;

  sockaddr_storage storage{};
  socklen_t length = sizeof(sockaddr_storage);
};

Endpoint local_endpoint(int fd);

}  // namespace karst::platform
