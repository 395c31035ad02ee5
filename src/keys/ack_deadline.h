#pragma once

#include <algorithm>
#include <optional>

#include "base/time.h"
#include "keys/policy.h"

namespace karst::keys {

inline constexpr Duration kAckAllowanceMin = std::chrono::seconds(5);
inline constexpr Duration kAckAllowanceMax = std::chrono::seconds(30);

// How long an OFFER may wait for its ACK: SRTT + 4 RTTVAR (the estimator of RFC 6298 section 2)
// between 5 and 30 s on the stream carrier, 30 s on the datagram carrier. Integer nanoseconds.
class AckDeadline {
 public:
  explicit AckDeadline(Carrier carrier) : carrier_(carrier) {}

  // The time from an OFFER's sealing to the acceptance of its authentic, in-order ACK.
  void sample(Duration round_trip) {
    const Duration r = std::clamp(round_trip, Duration::zero(), kAckAllowanceMax);
    if (!srtt_) {
      srtt_ = r;
      rttvar_ = r / 2;
      return;
    }
    const Duration error = r > *srtt_ ? r - *srtt_ : *srtt_ - r;
    rttvar_ += (error - rttvar_) / 4;
    *srtt_ += (r - *srtt_) / 8;
  }
  Duration allowance() const {
    if (carrier_ == Carrier::datagram) return kAckAllowanceMax;
    if (!srtt_) return kAckAllowanceMin;
    return std::clamp(*srtt_ + 4 * rttvar_, kAckAllowanceMin, kAckAllowanceMax);
  }
  // The deadline of an OFFER sealed at `now`, which is never before that of the OFFER before it.
  TimePoint freeze(TimePoint now) {
    const TimePoint deadline = now + allowance();
    last_ = last_ ? std::max(*last_, deadline) : deadline;
    return *last_;
  }
  std::optional<Duration> smoothed() const { return srtt_; }

 private:
  Carrier carrier_;
  std::optional<Duration> srtt_;
  Duration rttvar_{};
  std::optional<TimePoint> last_;
};

}  // namespace karst::keys
