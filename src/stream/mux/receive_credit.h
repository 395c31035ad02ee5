#pragma once

#include <cstdint>

#include "base/memory_budget.h"
#include "base/time.h"
#include "stream/mux/limits.h"
#include "stream/mux/link_window.h"
#include "stream/mux/receive_half.h"
#include "stream/mux/receive_window.h"
#include "wire/credit.h"

namespace karst::stream::mux {

// How much a link lets its peer send: decides how large windows become and when CREDIT is due.
// The reasons stand in link_window.h and receive_window.h.
class ReceiveCredit {
 public:
  ReceiveCredit(const Limits& limits, const MemoryBudget& budget)
      : limits_(limits), budget_(budget) {}

  // What is outstanding of a stream has changed.
  void change(std::uint64_t before, std::uint64_t after) { window_.change(before, after); }
  // The peer has sent more than the link allows.
  bool exceeded() const { return window_.exceeded(); }

  // Bytes are about to be queued for a stream.
  void handle_arrival(ReceiveHalf& half, TimePoint now, Duration rtt);
  // The sink of one of `streams` streams has taken `count` more bytes. True if CREDIT is due for
  // that stream.
  bool handle_taken(ReceiveHalf& half, std::size_t count, std::size_t streams, TimePoint now,
                    Duration rtt);

  bool link_credit_due() const {
    return window_.size() - announced_ >= announced_ / kLinkCreditStep;
  }
  wire::LinkCredit report() {
    announced_ = window_.size();
    return {announced_};
  }
  std::uint64_t window() const { return window_.size(); }

 private:
  std::uint64_t link_window_max() const;
  std::uint64_t report_threshold(const ReceiveHalf& half, std::size_t streams) const;

  const Limits& limits_;
  const MemoryBudget& budget_;
  LinkWindow window_{wire::kLinkWindowInitial};
  ReceiveWindow growth_{wire::kLinkWindowInitial};  // of the link as a whole
  std::uint64_t taken_ = 0;                         // of all streams
  std::uint64_t announced_ = wire::kLinkWindowInitial;
};

}  // namespace karst::stream::mux
