#pragma once

#include <memory>

#include "driver/ports.h"
#include "platform/linux/reactor.h"

namespace karst::platform {

// How many datagrams one socket gives in one turn before it says kWouldBlock until the next.
inline constexpr int kDatagramsPerTurn = 64;

// The unspecified IPv6 address takes IPv4 too.
Result<std::unique_ptr<driver::UdpSocket>> open_udp_socket(Reactor& reactor, const Endpoint& at);

}  // namespace karst::platform
