#include "stream/proxy/host.h"

#include <algorithm>

namespace karst::stream::proxy {
namespace {

constexpr std::size_t kLabelBytesMax = 63;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); }

// What inet_aton() and the URL standard read as a number, and so the name as an IPv4 address.
bool is_number(std::string_view label) {
  if (label.starts_with("0x")) return std::ranges::all_of(label.substr(2), is_hex);
  return std::ranges::all_of(label, is_digit);
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_name_byte(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '_'; }

}  // namespace

std::optional<HostName> HostName::parse(std::string_view text) {
  std::string name(text.substr(0, kHostNameBytesMax + 2));
  std::ranges::transform(name, name.begin(), lower);
  std::string_view rest = name;
  if (rest.ends_with('.')) rest.remove_suffix(1);
  if (rest.empty() || rest.size() > kHostNameBytesMax) return std::nullopt;
  for (;;) {
    const std::size_t dot = rest.find('.');
    const std::string_view label = rest.substr(0, dot);
    if (label.empty() || label.size() > kLabelBytesMax) return std::nullopt;
    if (!std::ranges::all_of(label, is_name_byte)) return std::nullopt;
    if (dot == rest.npos) {
      if (is_number(label)) return std::nullopt;
      return HostName(std::move(name));
    }
    rest.remove_prefix(dot + 1);
  }
}

std::optional<Host> parse_host(std::string_view text) {
  const bool bracketed = text.size() > 2 && text.front() == '[' && text.back() == ']';
  if (bracketed) text = text.substr(1, text.size() - 2);
  if (const auto address = IpAddress::parse(text)) {
    if (bracketed && address->is_v4()) return std::nullopt;
    return *address;
  }
  if (bracketed) return std::nullopt;
  if (auto name = HostName::parse(text)) return *std::move(name);
  return std::nullopt;
}

}  // namespace karst::stream::proxy
