#include "lab/link/codel.h"

#include <cmath>

namespace karst::lab {
namespace {

// RFC 8289 section 5.4: control_law.
TimePoint control_law(TimePoint from, std::uint32_t count) {
  const auto interval = static_cast<double>(Codel::kInterval.count());
  return from + Duration(static_cast<std::int64_t>(interval / std::sqrt(double{1} * count)));
}

}  // namespace

bool Codel::above_for_an_interval(TimePoint head, Duration waited, bool last) {
  if (waited < kTarget || last) {
    first_above_ = TimePoint{};
    return false;
  }
  if (first_above_ == TimePoint{}) {
    first_above_ = head + kInterval;
    return false;
  }
  return head >= first_above_;
}

bool Codel::drops(TimePoint head, Duration waited, bool last) {
  const bool above = above_for_an_interval(head, waited, last);
  if (dropping_) {
    if (!above) {
      dropping_ = false;
      return false;
    }
    if (head < next_drop_) return false;
    ++count_;
    next_drop_ = control_law(next_drop_, count_);
    return true;
  }
  if (!above) return false;
  dropping_ = true;
  const std::uint32_t delta = count_ - last_count_;
  count_ = delta > 1 && head - next_drop_ < 16 * kInterval ? delta : 1;
  next_drop_ = control_law(head, count_);
  last_count_ = count_;
  return true;
}

}  // namespace karst::lab
