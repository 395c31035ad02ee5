#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

// What an emulated wire does to packets. The design and what each thing is good for: docs/lab.md.
namespace karst::lab {

// A probability in parts per billion, so that a seed means the same run on every machine.
struct Chance {
  std::uint32_t parts_per_billion = 0;
  auto operator<=>(const Chance&) const = default;
};
inline constexpr std::uint32_t kCertain = 1'000'000'000;

// Gilbert-Elliott: a chain of two states that steps once for each segment. Average loss is
// (good x leave + bad x enter) / (enter + leave), average burst 1 / leave segments.
struct BurstLoss {
  Chance enter{};  // from good to bad
  Chance leave{};  // from bad to good
  Chance good{};   // loss while good
  Chance bad{};    // loss while bad
};

enum class QueueDiscipline : std::uint8_t {
  tail_drop,
  codel,  // RFC 8289, target 5 ms, interval 100 ms; the byte limit stays
};

// Too long for the wire (it is dropped in both cases).
enum class TooBig : std::uint8_t {
  icmp,        // the sender is told (RFC 792 fragmentation needed, RFC 4443 packet too big)
  black_hole,  // nobody is told
};

// One direction. Sizes are those of IP packets: what a link layer would add is not counted.
struct DirectionSettings {
  Duration delay{};
  std::uint64_t rate = 0;         // bits per second; 0: no limit, and then no queue either
  std::uint64_t queue_bytes = 0;  // what may wait for the wire; at least one packet always may
  QueueDiscipline discipline = QueueDiscipline::tail_drop;
  Chance loss{};                      // of each segment on the wire, independently
  std::optional<BurstLoss> bursts{};  // besides `loss`
  Duration jitter{};                  // each segment is later by 0 to this, uniform, in order
  Chance reorder{};  // of a segment being later by `reorder_by`, overtaken by others
  Duration reorder_by{};
  Chance duplicate{};
  std::uint32_t mtu = 0;  // longest IP packet; 0: whatever the device lets through
  TooBig too_big = TooBig::icmp;
  bool block_udp = false;
};

// What happens at a time counted from the start of the link.
struct LinkEvent {
  enum class Kind : std::uint8_t {
    down,    // both directions lose everything from now on
    up,      // they work again
    rebind,  // the address translator in front of the near side forgets its mappings
  };
  Duration at{};
  Kind kind = Kind::down;
};

struct LinkSettings {
  DirectionSettings forward;  // from the near side to the far side
  DirectionSettings back;
  std::uint64_t seed = 1;
  std::vector<LinkEvent> events;  // in order of time
};

// Memory for packets under way in one direction; what comes beyond it is lost and counted, and a
// run in which that happened is void.
inline constexpr std::size_t kBytesUnderWayMax = std::size_t{512} << 20;
// A super-packet leaves in pieces that take the wire no longer than this.
inline constexpr Duration kPieceTimeMax = std::chrono::milliseconds(1);

}  // namespace karst::lab
