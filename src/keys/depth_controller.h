#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"
#include "keys/policy.h"
#include "keys/rtt_window.h"

namespace karst::keys {

// `fixed` keeps the negotiated window full; `automatic` follows the rate.
enum class DepthMode : std::uint8_t { automatic, fixed };

// When the sender of a direction makes an OFFER, and how many epochs it wants beyond its current
// one: docs/protocol/ratchet.md "When an OFFER is made". It sees only the local clock, authentic
// ACKs in order, and what was sealed here.
class DepthController {
 public:
  // `epoch_bytes` of the policy, not 0: the smaller the epochs, the more are prepared beyond what
  // the rate asks for.
  DepthController(DepthMode mode, std::uint16_t window, std::uint64_t epoch_bytes);

  // The current epoch, whenever it may have changed.
  void current_epoch(std::uint64_t epoch, TimePoint now);
  void ack_accepted(Duration round_trip, TimePoint now);
  // There is a counted record and no epoch to seal it in. May be repeated while it lasts.
  void blocked(TimePoint now);

  // Between 1 and the negotiated window.
  std::size_t target(TimePoint now);
  // Whether an OFFER is due at this depth (in flight and prepared). `progress` grows with each
  // record that may be followed by one (SendEpochs::progress()).
  bool wants_offer(std::uint64_t depth, std::uint64_t progress, TimePoint now) {
    return progress != offered_at_ && depth < target(now);
  }
  void offered(std::uint64_t progress) { offered_at_ = progress; }

 private:
  void follow(TimePoint now);
  std::size_t wanted_demand(TimePoint now) const;
  void hold(std::size_t demand, TimePoint now);
  std::size_t drained_since(TimePoint since) const;

  const DepthMode mode_;
  const std::size_t window_;
  const std::size_t headroom_;  // epochs of the target that no rate asks for
  RttWindow round_trips_;
  std::optional<Duration> round_trip_;  // their 95th percentile, kept when all have grown old
  std::vector<TimePoint> entered_;      // a ring of the latest entries, one per epoch of the window
  std::uint64_t entered_count_ = 0;     // the current epoch
  std::size_t demand_ = 0;              // epochs per round trip, held
  TimePoint held_since_{};              // the last rise, or step of the decay
  TimePoint doubled_{};                 // because of blocked()
  std::uint64_t offered_at_ = 0;        // the progress at the last OFFER
};

}  // namespace karst::keys
