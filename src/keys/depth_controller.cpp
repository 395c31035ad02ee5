#include "keys/depth_controller.h"

#include <algorithm>

namespace karst::keys {
namespace {

// Bytes of the target that no rate asks for, and in how many epochs they may come.
constexpr std::uint64_t kHeadroomBytes = 2 * 1024 * 1024;
constexpr std::uint64_t kHeadroomLeast = 2;
constexpr std::uint64_t kHeadroomMost = 8;
constexpr std::size_t kQuietDrained = 4;  // fewer in a round trip is no growth but a burst
constexpr Duration kDecayStep = std::chrono::milliseconds(500);

}  // namespace

DepthController::DepthController(DepthMode mode, std::uint16_t window, std::uint64_t epoch_bytes)
    : mode_(mode),
      window_(window),
      headroom_(std::clamp(kHeadroomBytes / epoch_bytes, kHeadroomLeast, kHeadroomMost)),
      entered_(window) {}

void DepthController::current_epoch(std::uint64_t epoch, TimePoint now) {
  if (entered_count_ == epoch) return;
  for (; entered_count_ < epoch; ++entered_count_) entered_[entered_count_ % window_] = now;
  follow(now);
}

void DepthController::ack_accepted(Duration round_trip, TimePoint now) {
  round_trips_.add(round_trip, now);
  round_trip_ = round_trips_.percentile_95(now);
  follow(now);
}

void DepthController::blocked(TimePoint now) {
  if (!round_trip_ || now < doubled_ + *round_trip_) return;
  doubled_ = now;
  hold(std::clamp<std::size_t>(2 * demand_, 1, window_), now);
}

std::size_t DepthController::target(TimePoint now) {
  if (mode_ == DepthMode::fixed) return window_;
  if (!round_trip_) return std::min(headroom_, window_);
  if (now - held_since_ >= kDecayStep) follow(now);
  return std::min(2 * demand_ + headroom_, window_);
}

// Raises the held demand to what is drained now, or lets it decay towards that.
void DepthController::follow(TimePoint now) {
  if (!round_trip_) return;
  const std::size_t wanted = wanted_demand(now);
  if (wanted >= demand_) {
    hold(wanted, now);
    return;
  }
  while (demand_ > wanted && now - held_since_ >= kDecayStep) {
    if (const auto latest = round_trips_.percentile_95(now)) round_trip_ = latest;
    demand_ -= (demand_ - wanted + 3) / 4;
    held_since_ += kDecayStep;
  }
}

// The epochs drained in the last round trip, times half of their growth since the round trip
// before it: target() doubles, so growth up to twofold needs nothing more.
std::size_t DepthController::wanted_demand(TimePoint now) const {
  const std::size_t drained = drained_since(now - *round_trip_);
  const std::size_t before = drained_since(now - 2 * *round_trip_) - drained;
  return std::clamp(drained * drained / (2 * std::max(before, kQuietDrained)), drained,
                    2 * drained);
}

void DepthController::hold(std::size_t demand, TimePoint now) {
  demand_ = demand;
  held_since_ = now;
}

// How many epochs were entered after `since`, as far as the ring reaches back.
std::size_t DepthController::drained_since(TimePoint since) const {
  std::uint64_t low = entered_count_ - std::min<std::uint64_t>(entered_count_, window_);
  std::uint64_t high = entered_count_;
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (entered_[middle % window_] > since) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return static_cast<std::size_t>(entered_count_ - low);
}

}  // namespace karst::keys
