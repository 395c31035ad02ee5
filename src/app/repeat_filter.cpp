#include "app/repeat_filter.h"

#include "driver/client_node.h"

namespace karst::app {

bool RepeatFilter::admits(const TraceKind& kind, std::span<const TraceField> fields) {
  if (kind.name == driver::kTraceConnecting.name) return reason_.empty();
  if (kind.name == driver::kTraceLinkUp.name) reason_.clear();
  if (kind.name != driver::kTraceLinkDown.name) return true;
  std::string reason = "down";
  for (const TraceField& field : fields) {
    if (field.key == "retry_ms") continue;
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      reason += *text;
    } else {
      reason += std::to_string(std::get<std::int64_t>(field.value));
    }
  }
  const bool is_new = reason != reason_;
  reason_ = std::move(reason);
  return is_new;
}

}  // namespace karst::app
