#include "platform/linux/timer_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace karst::platform {

class TimerQueue::Handle final : public driver::Timer {
 public:
  Handle(TimerQueue& queue, driver::Callback callback)
      : queue_(queue), callback_(std::move(callback)) {
    ++queue_.handles_;
  }
  ~Handle() override {
    queue_.disarm(*this);
    if (queue_.firing_ == this) queue_.firing_ = nullptr;
    --queue_.handles_;
  }
  void arm(TimePoint at) override { queue_.arm(*this, at); }
  void disarm() override { queue_.disarm(*this); }

 private:
  friend class TimerQueue;
  TimerQueue& queue_;
  driver::Callback callback_;
  std::size_t index_ = kNotArmed;
};

TimerQueue::~TimerQueue() { CHECK(handles_ == 0); }

std::unique_ptr<driver::Timer> TimerQueue::make(driver::Callback callback) {
  return std::make_unique<Handle>(*this, std::move(callback));
}

std::optional<TimePoint> TimerQueue::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().at;
}

void TimerQueue::fire(TimePoint now) {
  now_ = now;
  const std::uint64_t armed_before = armed_;
  while (!heap_.empty() && heap_.front().at <= now && heap_.front().order < armed_before) {
    Handle& timer = *heap_.front().timer;
    disarm(timer);
    // The callback may destroy its timer, so it must not live inside it while it runs.
    driver::Callback callback = std::move(timer.callback_);
    firing_ = &timer;
    callback();
    if (firing_ != nullptr) firing_->callback_ = std::move(callback);
    firing_ = nullptr;
  }
}

void TimerQueue::arm(Handle& timer, TimePoint at) {
  // Times that have passed count as now: a timer that re-arms itself for the past over and over
  // must not stay ahead of one that is due.
  const Entry entry{std::max(at, now_), armed_++, &timer};
  if (timer.index_ == kNotArmed) {
    heap_.push_back(entry);
    timer.index_ = heap_.size() - 1;
  }
  sift(timer.index_, entry);
}

void TimerQueue::disarm(Handle& timer) {
  if (timer.index_ == kNotArmed) return;
  const std::size_t index = std::exchange(timer.index_, kNotArmed);
  const Entry last = heap_.back();
  heap_.pop_back();
  if (last.timer != &timer) sift(index, last);
}

void TimerQueue::place(std::size_t index, const Entry& entry) {
  heap_[index] = entry;
  entry.timer->index_ = index;
}

// Puts `entry` where it belongs, given that the place at `index` is free.
void TimerQueue::sift(std::size_t index, const Entry& entry) {
  while (index > 0 && entry < heap_[(index - 1) / 2]) {
    place(index, heap_[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  for (;;) {
    std::size_t child = 2 * index + 1;
    if (child >= heap_.size()) break;
    if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
    if (!(heap_[child] < entry)) break;
    place(index, heap_[child]);
    index = child;
  }
  place(index, entry);
}

}  // namespace karst::platform
