#include "app/byte_size.h"

#include <charconv>
#include <utility>

namespace karst::app {

std::optional<std::uint64_t> parse_byte_size(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (unit.size() > 1 && unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::pair<std::string_view, int> kUnits[] = {
      {"", 0}, {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
  for (const auto& [name, shift] : kUnits) {
    if (unit == name && value <= (UINT64_MAX >> shift)) return value << shift;
  }
  return std::nullopt;
}

}  // namespace karst::app
