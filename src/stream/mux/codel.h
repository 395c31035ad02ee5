#pragma once

#include <cstdint>

#include "base/time.h"

namespace karst::stream::mux {

// Controlled delay, RFC 8289: says which packets at the head of a queue to drop so that a standing
// queue goes away while a passing one is left alone. Holds no packets.
class CoDel {
 public:
  // The interval is the RTT, within bounds, and the target a twentieth of it (section 4.3, 4.4).
  void set_rtt(Duration rtt);

  // Asked about each packet at the head before it is sent: it has waited `sojourn`, and `backlog`
  // bytes are behind it. True: drop it and ask about the next.
  bool drop(Duration sojourn, std::size_t backlog, TimePoint now);

 private:
  bool above_for_an_interval(Duration sojourn, std::size_t backlog, TimePoint now);
  TimePoint control_law(TimePoint from) const;

  Duration interval_ = std::chrono::milliseconds(100);
  bool above_ = false;       // the sojourn time is above the target
  TimePoint above_since_{};  // meaningful while above_
  bool dropping_ = false;
  TimePoint drop_next_{};
  std::uint32_t count_ = 0;  // drops since the dropping state was entered
  std::uint32_t count_at_entry_ = 0;
};

}  // namespace karst::stream::mux
