#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "lab/link/codel.h"
#include "lab/link/link_settings.h"
#include "lab/link/loss_model.h"
#include "lab/link/super_packet.h"

namespace karst::lab {

inline constexpr std::uint64_t kEarlySegments = 4096;
inline constexpr std::uint64_t kDigestStart = 0xcbf29ce484222325;  // FNV-1a

// What became of the segments of one direction.
struct DirectionCounters {
  std::uint64_t segments = 0;   // that came in
  std::uint64_t bytes = 0;      // of IP packets that came in
  std::uint64_t delivered = 0;  // that went out, without duplicates
  std::uint64_t delivered_bytes = 0;
  std::uint64_t lost = 0;           // on the wire
  std::uint64_t queue_dropped = 0;  // the queue was full, or CoDel said so
  std::uint64_t too_big = 0;
  std::uint64_t blocked = 0;  // UDP, with block_udp
  std::uint64_t down = 0;     // during an outage
  std::uint64_t duplicated = 0;
  std::uint64_t reordered = 0;
  std::uint64_t overrun = 0;  // beyond kBytesUnderWayMax: the emulator's own fault
  Duration late_max{};        // how much later than due a packet was polled
  std::uint64_t fates = 0;    // a digest of which segments were lost, by their number
  // The same of the first kEarlySegments only: equal for any two loads of one seed that long.
  std::uint64_t early_fates = kDigestStart;
};

// One direction of a wire, without any I/O: a packet goes in, waits for its turn on the wire, may
// get lost, and comes out when the last bit of its last segment would have arrived. Super-packets
// are treated segment by segment and come out in as few pieces as that leaves.
class Direction {
 public:
  Direction(const DirectionSettings& settings, std::uint64_t seed);

  void handle_input(SuperPacket packet, TimePoint now);
  // The packets due by `now`, one at a time and in order.
  std::optional<SuperPacket> poll_output(TimePoint now);
  // The ICMP answer to a packet that was too big, for the sender; at most one is kept.
  std::optional<ByteVector> poll_answer();
  std::optional<TimePoint> next_deadline() const;

  // Other settings for what comes in from now on. What is under way stays as it was; counters start
  // anew.
  void change(const DirectionSettings& settings, std::uint64_t seed);

  // During an outage nothing comes in, and what is under way is lost when it is due.
  void set_down(bool down) { down_ = down; }
  const DirectionCounters& counters() const { return counters_; }

 private:
  // A run of neighbouring segments that leave together.
  struct Piece {
    std::size_t first = 0;
    std::size_t count = 0;
    TimePoint due{};
    Duration wire_time{};
  };
  bool admit(const SuperPacket& packet);
  std::optional<TimePoint> take_wire(std::size_t bytes, TimePoint now);
  void carry(const SuperPacket& packet, std::size_t index, TimePoint now, Piece& piece);
  void flush(const SuperPacket& packet, Piece& piece);
  void hold(SuperPacket packet, TimePoint due);

  DirectionSettings settings_;
  LossModel model_;
  Codel codel_;
  TimePoint wire_free_{};
  TimePoint last_due_{};
  // What is under way, by the time at which it is due and by order of coming.
  std::map<std::pair<TimePoint, std::uint64_t>, SuperPacket> under_way_;
  std::uint64_t order_ = 0;
  std::size_t bytes_under_way_ = 0;
  std::optional<ByteVector> answer_;
  DirectionCounters counters_;
  bool down_ = false;
};

}  // namespace karst::lab
