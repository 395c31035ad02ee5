#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/time.h"
#include "driver/ports.h"

namespace karst::platform {

// All timers of one loop in a binary heap: arming, re-arming and disarming cost O(log n) and no
// system call. It does not read a clock: the loop calls fire(). Must outlive the timers it makes.
class TimerQueue {
 public:
  explicit TimerQueue(TimePoint now) : now_(now) {}
  ~TimerQueue();
  TimerQueue(const TimerQueue&) = delete;

  std::unique_ptr<driver::Timer> make(driver::Callback callback);
  // The earliest time to call fire() at.
  std::optional<TimePoint> next() const;
  // Calls every timer that is due at `now`, earliest first and equal ones in the order of arming.
  // A timer that is armed by one of these callbacks fires in a later call, however early its time.
  void fire(TimePoint now);

 private:
  class Handle;
  struct Entry {
    TimePoint at;
    std::uint64_t order;
    Handle* timer;
    bool operator<(const Entry& other) const {
      return at != other.at ? at < other.at : order < other.order;
    }
  };
  static constexpr std::size_t kNotArmed = static_cast<std::size_t>(-1);

  void arm(Handle& timer, TimePoint at);
  void disarm(Handle& timer);
  void place(std::size_t index, const Entry& entry);
  void sift(std::size_t index, const Entry& entry);

  std::vector<Entry> heap_;
  TimePoint now_;
  std::uint64_t armed_ = 0;
  std::size_t handles_ = 0;
  Handle* firing_ = nullptr;
};

}  // namespace karst::platform
