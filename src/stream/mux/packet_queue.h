#pragma once

#include <cstdint>
#include <deque>

#include "base/byte_queue.h"
#include "base/bytes.h"
#include "base/time.h"

namespace karst::stream::mux {

// Packets in the order in which they came, each with the time at which it did. Bounded: a packet
// that does not fit pushes the oldest out.
class PacketQueue {
 public:
  // What each packet costs beyond its bytes, so that empty packets are bounded too.
  static constexpr std::size_t kOverheadBytes = 32;

  bool empty() const { return packets_.empty(); }
  // Of all packets, with kOverheadBytes for each.
  std::size_t held() const { return bytes_.size() + packets_.size() * kOverheadBytes; }
  // The memory that the queue owns.
  std::size_t footprint() const { return bytes_.footprint() + packets_.size() * kOverheadBytes; }

  // The packet is `head` and `body` together. Drops the oldest until held() is at most `limit`,
  // the new one itself if it must be; returns how many it dropped.
  std::size_t push(Bytes head, Bytes body, std::size_t limit, TimePoint now);

  // All of these need a packet.
  std::size_t front_size() const { return packets_.front().size; }
  TimePoint front_time() const { return packets_.front().arrived; }
  // `out` has exactly front_size() bytes.
  void pop(MutableBytes out);
  void drop_front();

 private:
  struct Packet {
    std::size_t size;
    TimePoint arrived;
  };
  static_assert(sizeof(Packet) <= kOverheadBytes);

  ByteQueue bytes_;
  std::deque<Packet> packets_;
};

}  // namespace karst::stream::mux
