#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "base/time.h"
#include "base/trace.h"

namespace karst::app {

// Leaves out what says again what was just said. For everyone: an address that has too many
// connections is named once a minute, however often it tries. For a person at a terminal, whose
// block shows each attempt: while a tunnel does not come up, of the lines about it the first
// attempt and each new reason are enough. A log file gets all of those.
class RepeatFilter {
 public:
  enum class Reader : std::uint8_t { file, person };
  static constexpr Duration kSourceTime = std::chrono::minutes(1);
  // Of more addresses than this at a time each line is written; log_budget.h bounds them.
  static constexpr std::size_t kSourcesMax = 256;

  explicit RepeatFilter(Reader reader) : reader_(reader) {}

  // Whether this line is needed.
  bool admits(const TraceKind& kind, std::span<const TraceField> fields, TimePoint now);

 private:
  bool admits_source(const std::string& source, TimePoint now);
  bool admits_attempt(const TraceKind& kind, std::span<const TraceField> fields);

  const Reader reader_;
  std::map<std::string, TimePoint> sources_;  // when each was named last
  std::string reason_;  // why the tunnel went down last; empty while it has not
};

}  // namespace karst::app
