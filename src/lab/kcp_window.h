#pragma once

#include <cstdint>

namespace karst::lab {

// Packets of kcptun's default MTU for its send and receive windows: it has no congestion control of
// its own in its fast modes, so its documentation asks the user to fit them to the path. Twice what
// the path holds, so that what is repaired does not hold up the rest; three parity packets follow
// each ten, and share the path. At least the largest default, 1024.
std::uint32_t kcp_window(unsigned rtt_ms, unsigned rate_mbit);
// Bytes for the buffers of its multiplexer, which bound one connection as well: as many as the
// window, at least the default of 4 MiB.
std::uint64_t kcp_buffer(unsigned rtt_ms, unsigned rate_mbit);

}  // namespace karst::lab
