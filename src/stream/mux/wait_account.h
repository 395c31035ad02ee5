#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace karst::stream::mux {

// What the sending direction of a stream waits for.
enum class Wait : std::uint8_t {
  nothing,        // it may not send yet, or has sent its last: not busy time
  application,    // nothing is queued
  stream_credit,  // bytes are queued, and the far sink has not taken enough
  link_credit,    // bytes are queued, and the far side of the whole link has not taken enough
  link,           // it may send, and waits for its turn: what limits the link limits it
};
inline constexpr std::size_t kWaitCount = 5;

constexpr std::string_view name(Wait wait) {
  constexpr std::array<std::string_view, kWaitCount> kNames = {
      "nothing", "application", "stream credit", "link credit", "link"};
  return kNames[static_cast<std::size_t>(wait)];
}

// Charges every moment of a stream's sending direction to one Wait.
class WaitAccount {
 public:
  using Times = std::array<Duration, kWaitCount>;

  // `wait` holds from `now` on; the time before goes to what held until then.
  void set(Wait wait, TimePoint now) {
    if (wait == current_) return;
    times_ = total(now);
    since_ = now;
    current_ = wait;
  }
  Wait current() const { return current_; }
  // Since the beginning. An earlier `now` than the last counts as none.
  Times total(TimePoint now) const {
    Times out = times_;
    if (now > since_) out[static_cast<std::size_t>(current_)] += now - since_;
    return out;
  }

  // Shares of busy time, each 0..1, adding up to 1, or all 0 without busy time.
  static std::array<double, kWaitCount> shares(const Times& times) {
    Duration busy{};
    for (std::size_t i = 1; i < kWaitCount; ++i) busy += times[i];
    std::array<double, kWaitCount> out{};
    if (busy <= Duration::zero()) return out;
    for (std::size_t i = 1; i < kWaitCount; ++i) {
      out[i] = static_cast<double>(times[i].count()) / static_cast<double>(busy.count());
    }
    return out;
  }

 private:
  Wait current_ = Wait::nothing;
  TimePoint since_{};
  Times times_{};
};

}  // namespace karst::stream::mux
