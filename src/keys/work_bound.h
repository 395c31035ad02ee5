#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "keys/policy.h"

namespace karst::keys {

// How many OFFERs of the peer may be answered: docs/protocol/ratchet.md "Bound on the receiver's
// work". Without it a peer could make us do KEM work for the price of the bytes of an OFFER.
class WorkBound {
 public:
  WorkBound(const EpochPolicy& policy, std::uint16_t window, TimePoint now);

  // `received_share` is the counted budget received since the link began, in 2^-20 of an epoch.
  void earn(std::uint64_t received_share, TimePoint now);
  bool allows() const { return credit_ >= period_; }
  // allows() must have said yes.
  void spend();
  // When time alone will have earned the next credit. Only while allows() says no.
  TimePoint next_credit() const { return last_ + (period_ - credit_); }

 private:
  // Credit is held as the time that would earn it, so that nothing is lost to rounding.
  Duration period_;
  Duration credit_max_;
  Duration credit_;
  TimePoint last_;
  std::uint64_t last_share_ = 0;
};

}  // namespace karst::keys
