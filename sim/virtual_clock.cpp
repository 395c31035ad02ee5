#include "sim/virtual_clock.h"

#include <algorithm>

namespace karst::sim {

void VirtualClock::at(TimePoint when, std::function<void()> action) {
  events_.push({std::max(when, now_), order_++, std::move(action)});
}

void VirtualClock::run_until(TimePoint end) {
  while (!events_.empty() && events_.top().when <= end) {
    const Event event = events_.top();
    events_.pop();
    now_ = event.when;
    event.action();
  }
  now_ = end;
}

}  // namespace karst::sim
