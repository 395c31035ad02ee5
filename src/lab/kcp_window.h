#pragma once

#include <cstdint>

namespace karst::lab {

// Packets of kcptun's default MTU that fill a path, for its send and receive windows: it has no
// congestion control of its own in its fast modes, so its documentation asks the user to fit them
// to the path. Three parity packets follow each ten, and share the path. At least the largest
// default, 1024.
std::uint32_t kcp_window(unsigned rtt_ms, unsigned rate_mbit);

}  // namespace karst::lab
