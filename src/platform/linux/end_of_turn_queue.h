#pragma once

#include <cstdint>
#include <memory>

#include "driver/ports.h"
#include "platform/linux/intrusive_list.h"

namespace karst::platform {

// The tasks that asked to run at the end of the turn. A task that is requested by another one
// while the queue runs still runs in this turn, unless it has already had its run: then it waits
// for the next turn. So a chain of layers is flushed in one turn, and a cycle cannot hold it.
class EndOfTurnQueue {
 public:
  EndOfTurnQueue() = default;
  ~EndOfTurnQueue();
  EndOfTurnQueue(const EndOfTurnQueue&) = delete;

  std::unique_ptr<driver::EndOfTurn> make(driver::Callback callback);
  bool empty() const { return requested_.empty(); }
  void run();

 private:
  class Handle;
  IntrusiveList<Handle> requested_;
  IntrusiveList<Handle> next_turn_;
  // Odd between runs, even within one; a task that never ran has 0.
  std::uint64_t runs_ = 1;
  std::uint64_t handles_ = 0;
  Handle* running_ = nullptr;
};

}  // namespace karst::platform
