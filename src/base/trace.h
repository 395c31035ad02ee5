#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace karst {

enum class TraceLevel : std::uint8_t { debug, info, warning, error };

// One kind of thing that happens. Each layer defines its own as inline constexpr, as with
// ErrorKind. Nothing below info happens per packet.
struct TraceKind {
  TraceLevel level;
  std::string_view name;  // lower-case-with-dashes, stable: "link-up", "enrolment-refused"
  std::string_view text;  // what a person reads, without the fields
};

// Borrowed for the duration of the call. Never a secret; an address only where an operator needs
// it to act.
struct TraceField {
  std::string_view key;
  std::variant<std::int64_t, std::string_view> value;
};

// Where cores and drivers report state changes. The daemon renders and rates them, a simulator
// checks them, a test collects them.
class TraceSink {
 public:
  virtual void record(const TraceKind& kind, std::span<const TraceField> fields) = 0;
  void operator()(const TraceKind& kind, std::initializer_list<TraceField> fields = {}) {
    record(kind, {fields.begin(), fields.size()});
  }

 protected:
  ~TraceSink() = default;
};

}  // namespace karst
