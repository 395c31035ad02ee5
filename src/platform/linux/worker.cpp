#include "platform/linux/worker.h"

#include <utility>

#include "base/check.h"

namespace karst::platform {

Result<std::unique_ptr<Worker>> Worker::create(Reactor& reactor) {
  TRY_ASSIGN(auto inbox, Inbox::create(reactor));
  return std::make_unique<Worker>(std::move(inbox));
}

Worker::Worker(std::unique_ptr<Inbox> inbox)
    : inbox_(std::move(inbox)), thread_([this] { work(); }) {}

Worker::~Worker() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Worker::run(driver::Callback job, driver::Callback done) {
  {
    const std::lock_guard lock(mutex_);
    CHECK(waiting_.size() < kJobsMax);
    waiting_.push_back({std::move(job), std::move(done)});
  }
  changed_.notify_one();
}

void Worker::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    Work next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next.job();
    // The job goes on this thread, its `done` with all it holds on the loop's.
    next.job = nullptr;
    inbox_->post(std::move(next.done));
    lock.lock();
  }
}

}  // namespace karst::platform
