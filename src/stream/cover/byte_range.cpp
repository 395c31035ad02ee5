#include "stream/cover/byte_range.h"

#include <algorithm>
#include <charconv>

namespace karst::stream::cover {
namespace {

std::string_view trim_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool all_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::optional<std::uint64_t> parse_decimal(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  if (!all_digits(digits)) return std::nullopt;
  if (std::from_chars(digits.data(), end, value).ec != std::errc()) return std::nullopt;
  return value;
}

ByteRange parse_byte_range(std::string_view header, std::uint64_t size) {
  using Kind = ByteRange::Kind;
  constexpr std::string_view kUnit = "bytes=";
  if (!header.starts_with(kUnit) || size == 0) return {};
  const std::string_view spec = trim_spaces(header.substr(kUnit.size()));
  if (spec.empty() || spec.find(',') != std::string_view::npos) return {};

  constexpr ByteRange kUnsatisfiable{Kind::unsatisfiable, 0, 0};
  const std::size_t dash = spec.find('-');
  if (dash == std::string_view::npos) return kUnsatisfiable;
  const std::string_view first_text = spec.substr(0, dash);
  const std::string_view last_text = spec.substr(dash + 1);
  // A number too large for us is as good as the largest one.
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    if (!all_digits(text)) return std::nullopt;
    return parse_decimal(text).value_or(UINT64_MAX);
  };

  if (first_text.empty()) {
    const std::optional<std::uint64_t> suffix = number(last_text);
    if (!suffix || *suffix == 0) return kUnsatisfiable;
    const std::uint64_t length = std::min(*suffix, size);
    return {Kind::part, size - length, length};
  }
  const std::optional<std::uint64_t> first = number(first_text);
  const std::optional<std::uint64_t> last =
      last_text.empty() ? std::optional(UINT64_MAX) : number(last_text);
  if (!first || !last || *first > *last || *first >= size) return kUnsatisfiable;
  return {Kind::part, *first, std::min(*last, size - 1) - *first + 1};
}

}  // namespace karst::stream::cover
