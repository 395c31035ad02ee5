#pragma once

#include <algorithm>
#include <cstdint>

#include "base/result.h"

namespace karst::keys {

// The two directions of a link; each ratchets on its own. The values are wire values.
enum class Direction : std::uint8_t { client_to_server = 1, server_to_client = 2 };

inline Direction opposite(Direction direction) {
  return direction == Direction::client_to_server ? Direction::server_to_client
                                                  : Direction::client_to_server;
}

enum class Carrier : std::uint8_t { stream = 1, datagram = 2 };

// What one epoch may carry at most; the earliest limit ends it.
struct EpochPolicy {
  std::uint64_t bytes = 0;      // plaintext of counted records
  std::uint64_t frames = 0;     // counted records
  std::uint32_t active_ms = 0;  // sum of the gaps between counted records, each at most 100 ms
  bool operator==(const EpochPolicy&) const = default;
};

inline constexpr EpochPolicy kExtreme{262'144, 512, 500};
inline constexpr EpochPolicy kBrisk{67'108'864, 65'536, 10'000};
inline constexpr EpochPolicy kNormal{8'589'934'592, 262'144, 60'000};
inline constexpr EpochPolicy kSoft{274'877'906'944, 8'388'608, 1'800'000};

inline constexpr std::uint64_t kEpochBytesMin = 262'144;
inline constexpr std::uint64_t kEpochBytesMax = 1ull << 40;
inline constexpr std::uint64_t kEpochFramesMaxStream = 1ull << 30;
inline constexpr std::uint64_t kEpochFramesMaxDatagram = 1ull << 23;
inline constexpr std::uint32_t kEpochActiveMsMax = 86'400'000;

inline constexpr std::uint16_t kRekeyWindowMin = 1;
inline constexpr std::uint16_t kRekeyWindowMax = 512;

inline constexpr ErrorKind kPolicyOutOfRange{"keys", "policy-out-of-range",
                                             "an epoch limit is outside the allowed range"};
inline constexpr ErrorKind kPolicyBelowFloor{
    "keys", "policy-below-floor", "the peer asks for shorter epochs than the policy floor allows"};

// Out of range is an error, never clamped.
inline Result<void> validate(const EpochPolicy& policy, Carrier carrier) {
  const std::uint64_t frames_max =
      carrier == Carrier::stream ? kEpochFramesMaxStream : kEpochFramesMaxDatagram;
  if (policy.bytes < kEpochBytesMin || policy.bytes > kEpochBytesMax || policy.frames < 1 ||
      policy.frames > frames_max || policy.active_ms < 1 || policy.active_ms > kEpochActiveMsMax) {
    return kPolicyOutOfRange;
  }
  return {};
}

// Each direction uses the component-wise minimum of the two signed advertisements.
inline EpochPolicy minimum(const EpochPolicy& a, const EpochPolicy& b) {
  return {std::min(a.bytes, b.bytes), std::min(a.frames, b.frames),
          std::min(a.active_ms, b.active_ms)};
}

// An advertisement that is below the floor in any component is refused by name.
inline bool below_floor(const EpochPolicy& policy, const EpochPolicy& floor) {
  return policy.bytes < floor.bytes || policy.frames < floor.frames ||
         policy.active_ms < floor.active_ms;
}

}  // namespace karst::keys
