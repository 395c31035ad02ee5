#include "lab/socks_client.h"

#include <array>

#include "lab/load.h"

namespace karst::lab {

Result<platform::BlockingTcp> connect_through(const Endpoint& proxy, const Endpoint& target,
                                              TimePoint deadline) {
  TRY_ASSIGN(platform::BlockingTcp connection, platform::BlockingTcp::connect(proxy, deadline));
  constexpr std::array<std::uint8_t, 3> kGreeting{5, 1, 0};
  TRY(connection.send_all(kGreeting, deadline));
  std::array<std::uint8_t, 2> method{};
  TRY(connection.receive_all(method, deadline));
  if (method != std::array<std::uint8_t, 2>{5, 0}) return Error(kSocksRefused, method[1]);
  const Bytes address = target.address.bytes();
  ByteVector request{5, 1, 0, static_cast<std::uint8_t>(target.address.is_v4() ? 1 : 4)};
  request.insert(request.end(), address.begin(), address.end());
  request.push_back(static_cast<std::uint8_t>(target.port >> 8));
  request.push_back(static_cast<std::uint8_t>(target.port));
  TRY(connection.send_all(request, deadline));
  std::array<std::uint8_t, 4> reply{};
  TRY(connection.receive_all(reply, deadline));
  if (reply[1] != 0) return Error(kSocksRefused, reply[1]);
  ByteVector bound(reply[3] == 4 ? 18 : 6);
  TRY(connection.receive_all(bound, deadline));
  return connection;
}

Result<platform::BlockingTcp> connect_by(const Route& route, TimePoint deadline) {
  if (route.socks) return connect_through(*route.socks, route.target, deadline);
  return platform::BlockingTcp::connect(route.dial.value_or(route.target), deadline);
}

}  // namespace karst::lab
