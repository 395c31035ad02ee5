#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace karst {

// The bytes that all links of a process together may hold for their users. One object per process;
// everyone who holds bytes charges them through a MemoryCharge. Thread-safe; outlives all charges.
//
// The limit is not a wall: a charge never fails. Whoever lets bytes in asks share() before it
// promises room, so that promises shrink as memory runs short, and looks at over() afterwards.
class MemoryBudget {
 public:
  explicit MemoryBudget(std::size_t limit) : limit_(limit) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::size_t limit() const { return limit_; }
  std::size_t used() const { return used_.load(std::memory_order_relaxed); }
  std::size_t available() const {
    const std::size_t now = used();
    return now < limit_ ? limit_ - now : 0;
  }
  bool over() const { return used() > limit_; }
  // The most that any single queue should be allowed to hold at present: a quarter of what is
  // free, so that whatever one takes leaves three quarters to the others.
  std::size_t share() const { return available() / 4; }

 private:
  friend class MemoryCharge;
  const std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

// What one holder has charged; given back when it is destroyed. Not thread-safe.
class MemoryCharge {
 public:
  explicit MemoryCharge(MemoryBudget& budget) : budget_(budget) {}
  MemoryCharge(const MemoryCharge&) = delete;
  MemoryCharge& operator=(const MemoryCharge&) = delete;
  ~MemoryCharge() { set(0); }

  std::size_t bytes() const { return bytes_; }
  // The holder holds `bytes` from now on.
  void set(std::size_t bytes) {
    if (bytes == bytes_) return;
    // Unsigned arithmetic wraps, so a smaller value is a subtraction.
    budget_.used_.fetch_add(bytes - bytes_, std::memory_order_relaxed);
    bytes_ = bytes;
  }

 private:
  MemoryBudget& budget_;
  std::size_t bytes_ = 0;
};

}  // namespace karst
