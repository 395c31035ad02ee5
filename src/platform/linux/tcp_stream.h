#pragma once

#include <memory>

#include "driver/ports.h"
#include "platform/linux/lingering.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// driver::TcpStream over a kernel socket. A stream takes and gives at most about kStreamTurnBytes
// in one turn each way and then says kWouldBlock until the next, so that one fast peer cannot
// starve the others.
inline constexpr std::size_t kStreamTurnBytes = 256 * 1024;

Result<std::unique_ptr<driver::TcpStream>> connect_tcp(Lingering& lingering, const Endpoint& to);
// `socket` is connected and non-blocking, with TCP_NODELAY set.
Result<std::unique_ptr<driver::TcpStream>> adopt_tcp(Lingering& lingering, UniqueFd socket,
                                                     const Endpoint& remote);

}  // namespace karst::platform
