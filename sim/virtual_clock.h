#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "base/time.h"

namespace karst::sim {

// Things to do, in the order of their time and, at equal times, of their making.
class VirtualClock {
 public:
  TimePoint now() const { return now_; }
  void at(TimePoint when, std::function<void()> action);
  // Runs what is due until `end` and stops the clock there.
  void run_until(TimePoint end);

 private:
  struct Event {
    TimePoint when;
    std::uint64_t order;
    std::function<void()> action;
    bool operator<(const Event& other) const {
      return std::pair(when, order) > std::pair(other.when, other.order);
    }
  };
  TimePoint now_{std::chrono::hours(31)};  // not zero: nothing may lean on it
  std::uint64_t order_ = 0;
  std::priority_queue<Event> events_;
};

}  // namespace karst::sim
