#pragma once

#include <cstddef>

#include "base/memory_budget.h"

namespace karst::driver {

// What UDP associations of the whole process hold while names are looked up.
struct UdpWaitingTotals {
  std::size_t look_ups = 0;
  std::size_t bytes = 0;
};

// The same of one link, and how much of it the link may have. A link gets more only while it has
// less than what is left for all, so that no link, however many associations it opens, takes the
// last from another. Held bytes count in the process's memory budget.
class UdpWaiting {
 public:
  // Of the 1,024 that the resolver does at a time: the rest is for TCP.
  static constexpr std::size_t kLookUpsOfAll = 512;
  static constexpr std::size_t kLookUpsOfLink = 64;
  static constexpr std::size_t kBytesOfAll = 16 << 20;
  static constexpr std::size_t kBytesOfLink = 1 << 20;

  // Both are borrowed and outlive it.
  UdpWaiting(UdpWaitingTotals& all, MemoryBudget& budget) : all_(all), charge_(budget) {}
  UdpWaiting(const UdpWaiting&) = delete;
  UdpWaiting& operator=(const UdpWaiting&) = delete;

  // False, and nothing is taken, if the link may have no more. Each yes is given back once.
  bool begin_look_up();
  void end_look_up();
  bool hold(std::size_t bytes);
  void release(std::size_t bytes);

 private:
  UdpWaitingTotals& all_;
  UdpWaitingTotals own_;
  MemoryCharge charge_;
};

}  // namespace karst::driver
