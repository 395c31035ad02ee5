#include "platform/linux/socket_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace karst::platform {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

}  // namespace

SocketAddress SocketAddress::from(const Endpoint& endpoint, int family) {
  SocketAddress out;
  const Bytes bytes = endpoint.address.bytes();
  if (endpoint.address.is_v4() && family == AF_INET) {
    sockaddr_in in{};
    in.sin_family = AF_INET;
    in.sin_port = htons(endpoint.port);
    std::memcpy(&in.sin_addr, bytes.data(), 4);
    std::memcpy(&out.storage, &in, sizeof in);
    out.length = sizeof in;
    return out;
  }
  sockaddr_in6 in6{};
  in6.sin6_family = AF_INET6;
  in6.sin6_port = htons(endpoint.port);
  if (endpoint.address.is_v4()) {
    std::ranges::copy(kMappedPrefix, in6.sin6_addr.s6_addr);
    std::memcpy(in6.sin6_addr.s6_addr + 12, bytes.data(), 4);
  } else {
    std::memcpy(in6.sin6_addr.s6_addr, bytes.data(), 16);
  }
  std::memcpy(&out.storage, &in6, sizeof in6);
  out.length = sizeof in6;
  return out;
}

Endpoint SocketAddress::endpoint() const {
  if (storage.ss_family == AF_INET) {
    sockaddr_in in;
    std::memcpy(&in, &storage, sizeof in);
    std::array<std::uint8_t, 4> bytes;
    std::memcpy(bytes.data(), &in.sin_addr, 4);
    return {IpAddress::v4(bytes), ntohs(in.sin_port)};
  }
  if (storage.ss_family != AF_INET6) return {};
  sockaddr_in6 in6;
  std::memcpy(&in6, &storage, sizeof in6);
  std::array<std::uint8_t, 16> bytes;
  std::memcpy(bytes.data(), in6.sin6_addr.s6_addr, 16);
  if (std::equal(kMappedPrefix.begin(), kMappedPrefix.end(), bytes.begin())) {
    return {IpAddress::v4({bytes[12], bytes[13], bytes[14], bytes[15]}), ntohs(in6.sin6_port)};
  }
  return {IpAddress::v6(bytes), ntohs(in6.sin6_port)};
}

Endpoint local_endpoint(int fd) {
  SocketAddress address;
  if (::getsockname(fd, address.get(), &address.length) != 0) return {};
  return address.endpoint();
}

}  // namespace karst::platform
