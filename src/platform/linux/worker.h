#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>

#include "driver/ports.h"
#include "platform/linux/inbox.h"

namespace karst::platform {

// One thread for work that waits for the disk, so that the loop does not. Jobs run one after the
// other in the order of run(). Destruction finishes the jobs that were given, and drops the
// callbacks that have not come yet.
class Worker {
 public:
  // How many jobs may wait; one more is our own error, since who gives jobs waits for their end.
  static constexpr std::size_t kJobsMax = 256;

  static Result<std::unique_ptr<Worker>> create(Reactor& reactor);
  // Through create() only.
  explicit Worker(std::unique_ptr<Inbox> inbox);
  ~Worker();
  Worker(const Worker&) = delete;

  // Runs `job` on the worker's thread and then `done` on the loop's. What the job uses must live
  // until `done`.
  void run(driver::Callback job, driver::Callback done);

 private:
  struct Work {
    driver::Callback job;
    driver::Callback done;
  };
  void work();

  std::unique_ptr<Inbox> inbox_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> waiting_;  // under mutex_
  bool ending_ = false;       // under mutex_
  std::thread thread_;        // last: it uses all of the above
};

}  // namespace karst::platform
