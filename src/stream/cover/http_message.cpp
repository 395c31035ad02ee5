#include "stream/cover/http_message.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"

namespace karst::stream::cover {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

std::string header_title(std::string_view name) {
  if (name == "etag") return "ETag";
  if (name == "www-authenticate") return "WWW-Authenticate";
  std::string title(name);
  bool starts_word = true;
  for (char& c : title) {
    if (starts_word) c = upper(c);
    starts_word = c == '-';
  }
  // Sec-WebSocket-Accept, as RFC 6455 writes it.
  if (title.starts_with("Sec-Websocket-")) title[std::string_view("Sec-Web").size()] = 'S';
  return title;
}

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

bool list_has_token(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (equal_ignoring_case(trim(list.substr(0, comma)), token)) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

bool HeaderList::add(std::string_view name, std::string_view value) {
  const std::size_t bytes = name.size() + value.size();
  if (headers_.size() == kHeadersMax || bytes > bytes_max_ - bytes_) return false;
  std::string lowered(name);
  std::ranges::transform(lowered, lowered.begin(), lower);
  headers_.push_back({std::move(lowered), std::string(value)});
  bytes_ += bytes;
  return true;
}

void HeaderList::put(std::string_view name, std::string_view value) { CHECK(add(name, value)); }

void HeaderList::remove(std::string_view name) {
  std::erase_if(headers_, [&](const Header& header) {
    if (header.name != name) return false;
    bytes_ -= header.name.size() + header.value.size();
    return true;
  });
}

std::optional<std::string_view> HeaderList::find(std::string_view name) const {
  const auto found = std::ranges::find(headers_, name, &Header::name);
  if (found == headers_.end()) return std::nullopt;
  return found->value;
}

std::size_t HeaderList::count(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::count(headers_, name, &Header::name));
}

bool HeaderList::has_token(std::string_view name, std::string_view token) const {
  return std::ranges::any_of(headers_, [&](const Header& header) {
    return header.name == name && list_has_token(header.value, token);
  });
}

std::string_view reason_phrase(int status) {
  static constexpr std::array<std::pair<int, std::string_view>, 43> kPhrases{{
      {100, "Continue"},
      {101, "Switching Protocols"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {203, "Non-Authoritative Information"},
      {204, "No Content"},
      {205, "Reset Content"},
      {206, "Partial Content"},
      {300, "Multiple Choices"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {402, "Payment Required"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {422, "Unprocessable Content"},
      {426, "Upgrade Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
  }};
  const auto found = std::ranges::find(kPhrases, status, &std::pair<int, std::string_view>::first);
  return found == kPhrases.end() ? "" : found->second;
}

}  // namespace karst::stream::cover
