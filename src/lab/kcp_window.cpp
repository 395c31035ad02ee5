#include "lab/kcp_window.h"

#include <algorithm>

namespace karst::lab {
namespace {

constexpr std::uint64_t kPacketBytes = 1350;

}  // namespace

std::uint32_t kcp_window(unsigned rtt_ms, unsigned rate_mbit) {
  constexpr std::uint64_t kLeast = 1024;
  const std::uint64_t path_bytes = std::uint64_t{rtt_ms} * rate_mbit * 1000 / 8;
  return static_cast<std::uint32_t>(std::max(kLeast, 2 * path_bytes / kPacketBytes * 10 / 13));
}

std::uint64_t kcp_buffer(unsigned rtt_ms, unsigned rate_mbit) {
  constexpr std::uint64_t kLeast = std::uint64_t{4} << 20;
  return std::max(kLeast, kcp_window(rtt_ms, rate_mbit) * kPacketBytes);
}

}  // namespace karst::lab
