#pragma once

#include <cstdint>

namespace karst::stream::mux {

// What became of outgoing packets.
struct PacketCounts {
  std::uint64_t sent = 0;
  std::uint64_t dropped = 0;  // full queue or CoDel
};

// Totals of one link since it began.
struct Counters {
  std::uint64_t data_bytes_sent = 0;
  std::uint64_t data_bytes_received = 0;
  std::uint64_t streams_opened = 0;
  std::uint64_t resets_sent = 0;
  std::uint64_t resets_received = 0;
  // How often a stream with data came to a stop for want of credit.
  std::uint64_t stream_credit_stalls = 0;
  std::uint64_t link_credit_stalls = 0;
  PacketCounts packets_out;
  std::uint64_t packets_received = 0;
  std::uint64_t packets_not_read = 0;  // the owner left them until they were pushed out
};

}  // namespace karst::stream::mux
