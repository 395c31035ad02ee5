#include "stream/mux/packet_sender.h"

namespace karst::stream::mux {

void PacketSender::push(Bytes head, Bytes body, std::size_t limit, TimePoint now,
                        PacketCounts& counts) {
  counts.dropped += queue_.push(head, body, limit, now);
}

Turn PacketSender::write(RecordWriter& record, wire::StreamId stream, std::size_t allowance,
                         Duration rtt, TimePoint now, PacketCounts& counts) {
  codel_.set_rtt(rtt);
  Turn turn{0, Scheduler::Next::nothing};
  while (!queue_.empty()) {
    const std::size_t size = queue_.front_size();
    const std::size_t backlog = queue_.held() - size - PacketQueue::kOverheadBytes;
    if (turn.bytes >= allowance) return {turn.bytes, Scheduler::Next::turn_over};
    if (!record.fits(size)) return {turn.bytes, Scheduler::Next::record_full};
    if (codel_.drop(now - queue_.front_time(), backlog, now)) {
      queue_.drop_front();
      ++counts.dropped;
      continue;
    }
    queue_.pop(record.frame(wire::FrameType::packet, stream, size).take(size));
    ++counts.sent;
    turn.bytes += wire::kFrameHeaderBytes + size;
  }
  return turn;
}

}  // namespace karst::stream::mux
