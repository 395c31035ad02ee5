#include "stream/mux/codel.h"

#include <algorithm>
#include <cmath>

namespace karst::stream::mux {
namespace {

constexpr Duration kIntervalMin = std::chrono::milliseconds(100);
constexpr Duration kIntervalMax = std::chrono::milliseconds(400);
constexpr int kTargetShare = 20;
// With no more than one packet behind it a queue is not standing.
constexpr std::size_t kBacklogMin = 1'500;

}  // namespace

void CoDel::set_rtt(Duration rtt) { interval_ = std::clamp(rtt, kIntervalMin, kIntervalMax); }

bool CoDel::above_for_an_interval(Duration sojourn, std::size_t backlog, TimePoint now) {
  if (sojourn < interval_ / kTargetShare || backlog <= kBacklogMin) {
    above_ = false;
    return false;
  }
  if (!above_) {
    above_ = true;
    above_since_ = now;
  }
  return now - above_since_ >= interval_;
}

TimePoint CoDel::control_law(TimePoint from) const {
  return from + Duration(static_cast<Duration::rep>(static_cast<double>(interval_.count()) /
                                                    std::sqrt(static_cast<double>(count_))));
}

bool CoDel::drop(Duration sojourn, std::size_t backlog, TimePoint now) {
  if (!above_for_an_interval(sojourn, backlog, now)) {
    dropping_ = false;
    return false;
  }
  if (dropping_) {
    if (now < drop_next_) return false;
    ++count_;
    drop_next_ = control_law(drop_next_);
    return true;
  }
  // Section 5.4: shortly after the last time, go on at the rate that controlled the queue then.
  dropping_ = true;
  const std::uint32_t drops_last_time = count_ - count_at_entry_;
  const bool recent = now - drop_next_ < 16 * interval_;
  count_ = recent && drops_last_time > 1 ? drops_last_time : 1;
  count_at_entry_ = count_;
  drop_next_ = control_law(now);
  return true;
}

}  // namespace karst::stream::mux
