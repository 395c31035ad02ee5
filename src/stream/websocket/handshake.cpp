#include "stream/websocket/handshake.h"

#include <algorithm>

#include "crypto/base64.h"
#include "crypto/digest.h"

namespace karst::stream::websocket {
namespace {

constexpr std::string_view kGuid = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr std::size_t kKeyTextBytes = 24;  // base64 of 16 bytes

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Whether a comma-separated list has the token, in any case.
bool has_token(std::string_view list, std::string_view token) {
  for (;;) {
    const auto comma = list.find(',');
    if (equal_ignoring_case(trimmed(list.substr(0, comma)), token)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

bool is_key(std::string_view key) {
  if (key.size() != kKeyTextBytes || !key.ends_with("==")) return false;
  return std::ranges::all_of(key.substr(0, kKeyTextBytes - 2), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+' ||
           c == '/';
  });
}

constexpr Error kRefused{kNotUpgrade, 400};

}  // namespace

std::string accept_key(std::string_view key) {
  std::string text(key);
  text += kGuid;
  return crypto::base64(crypto::sha1(as_bytes(text)));
}

Result<void> check_upgrade(const UpgradeRequest& request) {
  const bool http11 =
      request.version_major > 1 || (request.version_major == 1 && request.version_minor >= 1);
  if (request.method != "GET" || !http11 || request.host.empty() ||
      !has_token(request.upgrade, "websocket") || !has_token(request.connection, "upgrade")) {
    return kRefused;
  }
  if (trimmed(request.version) != "13") return Error{kBadVersion, 426};
  if (!is_key(trimmed(request.key))) return kRefused;
  return {};
}

Result<void> check_upgrade_response(const UpgradeResponse& response, std::string_view key) {
  if (response.status != 101 || !equal_ignoring_case(trimmed(response.upgrade), "websocket") ||
      !has_token(response.connection, "upgrade") || trimmed(response.accept) != accept_key(key)) {
    return Error{kNotAccepted, response.status};
  }
  return {};
}

Result<void> check_connect(const ConnectRequest& request) {
  const bool scheme = request.scheme == "https" || request.scheme == "http";
  if (request.method != "CONNECT" || request.protocol != "websocket" || !scheme ||
      request.authority.empty() || !request.path.starts_with('/')) {
    return kRefused;
  }
  if (trimmed(request.version) != "13") return Error{kBadVersion, 426};
  return {};
}

}  // namespace karst::stream::websocket
