#include "app/lifetime.h"

#include <charconv>

namespace karst::app {

std::optional<std::int64_t> parse_lifetime(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::int64_t unit = 0;
  switch (text.back()) {
    case 's':
      unit = 1;
      break;
    case 'm':
      unit = 60;
      break;
    case 'h':
      unit = 3'600;
      break;
    case 'd':
      unit = 86'400;
      break;
    default:
      return std::nullopt;
  }
  text.remove_suffix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (value < 1 || value > kLifetimeSecondsMax / unit) return std::nullopt;
  return value * unit;
}

}  // namespace karst::app
