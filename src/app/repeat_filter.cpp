#include "app/repeat_filter.h"

#include "driver/client_node.h"
#include "driver/server_node.h"

namespace karst::app {
namespace {

std::string text_of(const TraceField& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) return std::string(*text);
  return std::to_string(std::get<std::int64_t>(field.value));
}

}  // namespace

bool RepeatFilter::admits(const TraceKind& kind, std::span<const TraceField> fields,
                          TimePoint now) {
  if (kind.name == driver::kTraceTooManyOfSource.name && !fields.empty()) {
    return admits_source(text_of(fields.front()), now);
  }
  return reader_ == Reader::file || admits_attempt(kind, fields);
}

bool RepeatFilter::admits_source(const std::string& source, TimePoint now) {
  const auto known = sources_.find(source);
  if (known != sources_.end() && now - known->second < kSourceTime) return false;
  std::erase_if(sources_, [&](const auto& entry) { return now - entry.second >= kSourceTime; });
  if (sources_.size() < kSourcesMax) sources_.emplace(source, now);
  return true;
}

bool RepeatFilter::admits_attempt(const TraceKind& kind, std::span<const TraceField> fields) {
  if (kind.name == driver::kTraceConnecting.name) return reason_.empty();
  if (kind.name == driver::kTraceLinkUp.name) reason_.clear();
  if (kind.name != driver::kTraceLinkDown.name) return true;
  std::string reason = "down";
  for (const TraceField& field : fields) {
    if (field.key != "retry_ms") reason += text_of(field);
  }
  const bool is_new = reason != reason_;
  reason_ = std::move(reason);
  return is_new;
}

}  // namespace karst::app
