#include "stream/cover/backend_request.h"

#include <algorithm>
#include <array>

#include "stream/cover/byte_range.h"
#include "stream/cover/site_path.h"

namespace karst::stream::cover {
namespace {

template <std::size_t N>
using Names = std::array<std::string_view, N>;

// What the backend hears from us and from no client.
// Or, as Proxy, what a CGI would hear as the proxy it is to use itself.
constexpr Names<14> kOurs{"host",
                          "proxy",
                          "content-length",
                          "expect",
                          "forwarded",
                          "x-forwarded-for",
                          "x-forwarded-proto",
                          "x-forwarded-host",
                          "x-forwarded-port",
                          "x-real-ip",
                          "sec-websocket-key",
                          "sec-websocket-version",
                          "sec-websocket-accept",
                          "cookie"};

bool is_token_char(char c) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         kMarks.find(c) != std::string_view::npos;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

// A backend that reads underscores as hyphens, as CGI does, would take such a name for one of ours.
bool is_ours(std::string_view name) {
  return std::ranges::find(kOurs, name) != kOurs.end() || name.find('_') != name.npos;
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
  });
}

// HTTP/2 may cut Cookie into several fields (RFC 9113 section 8.2.3).
std::string joined_cookies(const HeaderList& headers) {
  std::string all;
  for (const Header& header : headers) {
    if (header.name != "cookie") continue;
    if (!all.empty()) all += "; ";
    all += header.value;
  }
  return all;
}

void append(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool is_hop_by_hop(const HeaderList& headers, std::string_view name) {
  constexpr Names<10> kKnown{
      "connection", "keep-alive",    "proxy-connection",    "proxy-authenticate",
      "te",         "trailer",       "proxy-authorization", "transfer-encoding",
      "upgrade",    "http2-settings"};
  return std::ranges::find(kKnown, name) != kKnown.end() || headers.has_token("connection", name);
}

BodyFraming body_framing(const Request& request) {
  if (request.protocol == "websocket") return BodyFraming::socket;
  if (!request.has_body) return BodyFraming::none;
  return request.headers.count("content-length") > 0 ? BodyFraming::length : BodyFraming::chunked;
}

std::optional<std::string> format_backend_request(const Request& request,
                                                  std::string_view authority,
                                                  std::string_view socket_key) {
  const BodyFraming framing = body_framing(request);
  const std::string_view host = request.authority.empty()
                                    ? request.headers.find("host").value_or(authority)
                                    : request.authority;
  const bool has_target =
      request.path.starts_with('/') || (request.path == "*" && request.method == "OPTIONS");
  if (!is_token(request.method) || !has_target || !is_clean_target(request.path) ||
      !is_clean_target(host)) {
    return std::nullopt;
  }

  std::string head = framing == BodyFraming::socket ? "GET" : request.method;
  head.append(" ").append(request.path).append(" HTTP/1.1\r\n");
  append(head, "Host", host);
  for (const Header& header : request.headers) {
    if (!is_token(header.name) || !is_field_value(header.value)) return std::nullopt;
    if (is_ours(header.name)) continue;
    if (is_hop_by_hop(request.headers, header.name)) continue;
    append(head, header_title(header.name), header.value);
  }
  if (const std::string cookies = joined_cookies(request.headers); !cookies.empty()) {
    append(head, "Cookie", cookies);
  }
  append(head, "X-Forwarded-For", request.client);
  // Not the scheme that the client names: it came by TLS.
  append(head, "X-Forwarded-Proto", "https");
  append(head, "X-Forwarded-Host", host);

  switch (framing) {
    case BodyFraming::none:
      break;
    case BodyFraming::length: {
      const auto length = request.headers.find("content-length");
      if (request.headers.count("content-length") != 1 || !parse_decimal(*length)) {
        return std::nullopt;
      }
      append(head, "Content-Length", *length);
      break;
    }
    case BodyFraming::chunked:
      append(head, "Transfer-Encoding", "chunked");
      break;
    case BodyFraming::socket:
      append(head, "Upgrade", "websocket");
      append(head, "Connection", "Upgrade");
      append(head, "Sec-WebSocket-Version", "13");
      append(head, "Sec-WebSocket-Key", socket_key);
      return head + "\r\n";
  }
  append(head, "Connection", "close");
  return head + "\r\n";
}

}  // namespace karst::stream::cover
