#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/time.h"
#include "stream/mux/codel.h"
#include "stream/mux/counters.h"
#include "stream/mux/packet_queue.h"
#include "stream/mux/record_writer.h"
#include "stream/mux/scheduler.h"

namespace karst::stream::mux {

// Packets on their way out, of one stream or of the link: a queue under CoDel.
class PacketSender {
 public:
  const PacketQueue& queue() const { return queue_; }

  // The packet is `head` and `body` together, kFramePayloadBytesMax at most. Nothing is held
  // beyond `limit`: the oldest goes.
  void push(Bytes head, Bytes body, std::size_t limit, TimePoint now, PacketCounts& counts);
  // Writes PACKET frames until `allowance` is used, nothing is left or the record is full.
  Turn write(RecordWriter& record, wire::StreamId stream, std::size_t allowance, Duration rtt,
             TimePoint now, PacketCounts& counts);

 private:
  PacketQueue queue_;
  CoDel codel_;
};

}  // namespace karst::stream::mux
