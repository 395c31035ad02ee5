#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "app/settings.h"
#include "base/trace.h"

namespace karst::app {

// The daemon's log: writes trace events as lines (log_line.h) on standard error, as text or JSON,
// and keeps events that a stranger can cause from flooding it (log_budget.h): the next line of such
// a kind comes with a count of those that were left out. Standard error being gone is no error. One
// thread.
class Log final : public TraceSink {
 public:
  explicit Log(const LogSettings& settings);
  ~Log();

  void configure(const LogSettings& settings);
  void record(const TraceKind& kind, std::span<const TraceField> fields) override;
  // Lines go here instead of standard error while it is set: the terminal view moves its block out
  // of the way first.
  using LineHook = std::move_only_function<void(std::string_view line)>;
  void set_line_hook(LineHook hook);
  // Only what it returns true for is written, while it is set.
  using Filter =
      std::move_only_function<bool(const TraceKind& kind, std::span<const TraceField> fields)>;
  void set_filter(Filter filter);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace karst::app
