#include "stream/cover/site_path.h"

#include <algorithm>

namespace karst::stream::cover {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

std::optional<std::string> percent_decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (is_control(c)) return std::nullopt;
    out.push_back(c);
  }
  return out;
}

}  // namespace

Target split_target(std::string_view target) {
  const std::size_t cut = std::min(target.find('?'), target.size());
  return {target.substr(0, cut), target.substr(cut)};
}

bool is_clean_target(std::string_view target) {
  return std::ranges::none_of(target, [](char c) { return c == ' ' || is_control(c); });
}

std::optional<std::string> decode_path(std::string_view path) {
  const std::optional<std::string> decoded = percent_decode(path);
  if (!decoded || !decoded->starts_with('/')) return std::nullopt;

  // `out` always ends with the slash behind the last whole segment.
  std::string out = "/";
  std::string_view rest = std::string_view(*decoded).substr(1);
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    const bool is_last = slash == std::string_view::npos;
    const std::string_view segment = rest.substr(0, slash);
    rest.remove_prefix(is_last ? rest.size() : slash + 1);
    if (segment.empty() || segment == ".") continue;
    if (segment == "..") {
      if (out == "/") return std::nullopt;
      out.pop_back();
      out.erase(out.rfind('/') + 1);
      continue;
    }
    out += segment;
    if (!is_last) out += '/';
  }
  return out;
}

std::string encode_path(std::string_view decoded) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  constexpr std::string_view kPlain = "-._~/";
  std::string out;
  for (char c : decoded) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (alphanumeric || kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

}  // namespace karst::stream::cover
