#include "platform/linux/tcp_info.h"

// The kernel's header knows the newer fields; it cannot be mixed with <netinet/tcp.h>.
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

namespace karst::platform {

driver::TcpInfo read_tcp_info(int fd) {
  using std::chrono::microseconds;
  // An older kernel fills less; the rest stays zero.
  tcp_info info{};
  socklen_t length = sizeof info;
  if (::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return {};
  const std::uint64_t segment = info.tcpi_snd_mss;
  driver::TcpInfo out;
  out.rtt = microseconds(info.tcpi_rtt);
  out.rtt_variation = microseconds(info.tcpi_rttvar);
  out.congestion_window = info.tcpi_snd_cwnd * segment;
  out.unacknowledged = info.tcpi_unacked * segment;
  out.not_sent = info.tcpi_notsent_bytes;
  out.receive_window_of_peer = info.tcpi_snd_wnd;
  out.delivery_rate = info.tcpi_delivery_rate;
  out.pacing_rate = info.tcpi_pacing_rate;
  out.retransmitted_segments = info.tcpi_total_retrans;
  out.busy = microseconds(info.tcpi_busy_time);
  out.receive_window_limited = microseconds(info.tcpi_rwnd_limited);
  out.send_buffer_limited = microseconds(info.tcpi_sndbuf_limited);
  std::array<std::uint32_t, SK_MEMINFO_VARS> memory{};
  length = sizeof memory;
  if (::getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory.data(), &length) == 0) {
    out.send_buffer = memory[SK_MEMINFO_SNDBUF];
    out.receive_buffer = memory[SK_MEMINFO_RCVBUF];
  }
  return out;
}

}  // namespace karst::platform
