#pragma once

#include <cstddef>

#include "base/memory_budget.h"

namespace karst::driver {

// Bytes of the datagrams of one link that wait for a name, and how many it may have. A link gets
// more only while it has less than what is left for all, so that no link, however many associations
// it opens, takes the last from another. Held bytes count in the process's memory budget.
class UdpWaiting {
 public:
  static constexpr std::size_t kOfAll = 16 << 20;
  static constexpr std::size_t kOfLink = 1 << 20;

  // `all` counts those of the whole process. Both are borrowed and outlive it.
  UdpWaiting(std::size_t& all, MemoryBudget& budget) : all_(all), charge_(budget) {}
  UdpWaiting(const UdpWaiting&) = delete;
  UdpWaiting& operator=(const UdpWaiting&) = delete;

  // False, and nothing is taken, if the link may have no more. Each yes is given back once.
  bool hold(std::size_t bytes);
  void release(std::size_t bytes);

 private:
  std::size_t& all_;
  std::size_t own_ = 0;
  MemoryCharge charge_;
};

}  // namespace karst::driver
