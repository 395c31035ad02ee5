#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "lab/lab_network.h"

namespace karst::lab {

// One property of a link: what theory says it must be, and what UDP probes found.
struct CheckLine {
  std::string what;    // "RTT", "rate forward", ...
  std::string wanted;  // with its bounds
  std::string measured;
  bool ok = false;
};

struct SelfCheck {
  std::vector<CheckLine> lines;
  bool ok() const;
};

// Measures a link with probes of its own, from socket to socket as any program would: round trip
// within 1 % + 0.3 ms, rate within 2 %, loss within its binomial bounds (three and a third standard
// deviations, widened for bursts), duplicates and reordering too, the longest packet, blocked UDP.
// Takes about three seconds and four round trips. The link starts over before and after.
Result<SelfCheck> check_link(LabNetwork& network, const LinkSettings& settings);

}  // namespace karst::lab
