#pragma once

#include <cstdint>

#include "base/time.h"

namespace karst::lab {

// The controlled-delay law of RFC 8289 for a queue whose future is known when a packet enters it:
// packets leave in order at a fixed rate, so the time at which each reaches the head, and how long
// it will have waited, are known at once.
class Codel {
 public:
  static constexpr Duration kTarget = std::chrono::milliseconds(5);
  static constexpr Duration kInterval = std::chrono::milliseconds(100);

  // To be asked for packet after packet: whether the one that reaches the head at `head`, having
  // waited for `waited`, is dropped there. `last` says that no other packet waits behind it.
  bool drops(TimePoint head, Duration waited, bool last);

 private:
  bool above_for_an_interval(TimePoint head, Duration waited, bool last);

  TimePoint first_above_{};
  TimePoint next_drop_{};
  std::uint32_t count_ = 0;
  std::uint32_t last_count_ = 0;
  bool dropping_ = false;
};

}  // namespace karst::lab
