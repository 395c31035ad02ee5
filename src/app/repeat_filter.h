#pragma once

#include <span>
#include <string>

#include "base/trace.h"

namespace karst::app {

// Keeps a terminal calm while a tunnel does not come up: its block shows each attempt, so that of
// the lines above it the first attempt and each new reason are enough. A log file gets them all.
class RepeatFilter {
 public:
  // Whether a person needs to see this line.
  bool admits(const TraceKind& kind, std::span<const TraceField> fields);

 private:
  std::string reason_;  // why the tunnel went down last; empty while it has not
};

}  // namespace karst::app
