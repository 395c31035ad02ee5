#pragma once

#include "base/ip.h"
#include "base/result.h"
#include "lab/tunnel.h"
#include "platform/linux/blocking_tcp.h"

namespace karst::lab {

// A connection to `target` through the SOCKS5 proxy at `proxy` (RFC 1928), without a password.
// kSocksRefused with the proxy's reply code.
Result<platform::BlockingTcp> connect_through(const Endpoint& proxy, const Endpoint& target,
                                              TimePoint deadline);

// A connection to the route's target, made in the namespace that the calling thread is in.
Result<platform::BlockingTcp> connect_by(const Route& route, TimePoint deadline);

}  // namespace karst::lab
