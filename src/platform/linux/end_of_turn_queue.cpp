#include "platform/linux/end_of_turn_queue.h"

#include <utility>

#include "base/check.h"

namespace karst::platform {

class EndOfTurnQueue::Handle final : public driver::EndOfTurn, public ListHook {
 public:
  Handle(EndOfTurnQueue& queue, driver::Callback callback)
      : queue_(queue), callback_(std::move(callback)) {
    ++queue_.handles_;
  }
  ~Handle() override {
    if (queue_.running_ == this) queue_.running_ = nullptr;
    --queue_.handles_;
  }
  void request() override {
    if (linked()) return;
    (last_run_ == queue_.runs_ ? queue_.next_turn_ : queue_.requested_).push_back(*this);
  }

 private:
  friend class EndOfTurnQueue;
  EndOfTurnQueue& queue_;
  driver::Callback callback_;
  std::uint64_t last_run_ = 0;
};

EndOfTurnQueue::~EndOfTurnQueue() { CHECK(handles_ == 0); }

std::unique_ptr<driver::EndOfTurn> EndOfTurnQueue::make(driver::Callback callback) {
  return std::make_unique<Handle>(*this, std::move(callback));
}

void EndOfTurnQueue::run() {
  ++runs_;
  while (Handle* task = requested_.pop_front()) {
    task->last_run_ = runs_;
    // The callback may destroy its task, so it must not live inside it while it runs.
    driver::Callback callback = std::move(task->callback_);
    running_ = task;
    callback();
    if (running_ != nullptr) running_->callback_ = std::move(callback);
    running_ = nullptr;
  }
  ++runs_;
  requested_.take_all(next_turn_);
}

}  // namespace karst::platform
