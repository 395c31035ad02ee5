#include "app/log_line.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace karst::app {
namespace {

std::string printable(std::string_view text) {
  std::string out(text);
  std::ranges::replace_if(out, [](char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return out;
}

bool is_plain(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         std::string_view("._:/@+-%").find(c) != std::string_view::npos;
}

std::string value_text(std::string_view value) {
  if (!value.empty() && std::ranges::all_of(value, is_plain)) return std::string(value);
  std::string out = "\"";
  for (const char c : printable(value)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

}  // namespace

std::string_view level_name(TraceLevel level) {
  switch (level) {
    case TraceLevel::debug:
      return "debug";
    case TraceLevel::info:
      return "info";
    case TraceLevel::warning:
      return "warning";
    case TraceLevel::error:
      return "error";
  }
  return "info";
}

std::string format_log_text(const TraceKind& kind, std::span<const TraceField> fields) {
  std::string line = std::string(kind.name) + ": " + std::string(kind.text);
  if (fields.empty()) return line;
  line += " [";
  for (const TraceField& field : fields) {
    if (&field != fields.data()) line += ' ';
    line += std::string(field.key) + "=";
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      line += value_text(*text);
    } else {
      line += std::to_string(std::get<std::int64_t>(field.value));
    }
  }
  return line + "]";
}

std::string format_log_json(const TraceKind& kind, std::span<const TraceField> fields,
                            UnixTime time) {
  nlohmann::ordered_json out;
  out["time"] = time.seconds;
  out["level"] = level_name(kind.level);
  out["event"] = kind.name;
  out["text"] = kind.text;
  for (const TraceField& field : fields) {
    if (const auto* text = std::get_if<std::string_view>(&field.value)) {
      out[std::string(field.key)] = printable(*text);
    } else {
      out[std::string(field.key)] = std::get<std::int64_t>(field.value);
    }
  }
  return out.dump();
}

}  // namespace karst::app
