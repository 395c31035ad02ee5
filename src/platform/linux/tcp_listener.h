#pragma once

#include <memory>

#include "driver/ports.h"
#include "platform/linux/lingering.h"

namespace karst::platform {

// How long accepting rests when descriptors or memory have run out: the connections wait in the
// kernel's queue meanwhile, and the loop does not spin on them.
inline constexpr Duration kAcceptPause = std::chrono::seconds(1);
inline constexpr int kAcceptsPerTurn = 64;

// Listens at an address, for its own family alone: 0.0.0.0 and [::] can share a port.
Result<std::unique_ptr<driver::TcpListener>> listen_tcp(Lingering& lingering, const Endpoint& at);

}  // namespace karst::platform
