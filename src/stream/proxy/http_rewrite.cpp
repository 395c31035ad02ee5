#include "stream/proxy/http_rewrite.h"

#include <algorithm>
#include <vector>

namespace karst::stream::proxy {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The fields that one hop keeps to itself, sorted for binary search. Transfer-Encoding is not
// among them, since the body's framing is kept.
class HopByHop {
 public:
  explicit HopByHop(const HttpHead& head) : names_{"connection", "keep-alive", "te", "upgrade"} {
    for (const HttpField& field : head.fields) {
      if (same_field_name(field.name, "connection")) add_list(field.value);
    }
    std::ranges::sort(names_);
  }

  bool contains(const HttpField& field) const {
    const std::string name = lower(field.name);
    if (name == "content-length" || name == "transfer-encoding") return false;
    return name.starts_with("proxy-") || std::ranges::binary_search(names_, name);
  }

 private:
  void add_list(std::string_view list) {
    for (;;) {
      const std::size_t comma = list.find(',');
      names_.push_back(lower(trimmed(list.substr(0, comma))));
      if (comma == list.npos) return;
      list.remove_prefix(comma + 1);
    }
  }

  std::vector<std::string> names_;
};

void append_field(std::string_view name, std::string_view value, std::string& out) {
  out.append(name).append(": ").append(value).append("\r\n");
}

std::string version(const HttpHead& head) {
  return head.version_minor == 0 ? "HTTP/1.0" : "HTTP/1.1";
}

std::string_view reason_phrase(unsigned status) {
  switch (status) {
    case 400:
      return "Bad Request";
    case 403:
      return "Forbidden";
    case 405:
      return "Method Not Allowed";
    case 407:
      return "Proxy Authentication Required";
    case 431:
      return "Request Header Fields Too Large";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    default:
      return "";
  }
}

}  // namespace

std::optional<AbsoluteUrl> parse_absolute_url(std::string_view url, std::string_view method) {
  constexpr std::string_view kScheme = "http://";
  if (!same_field_name(url.substr(0, kScheme.size()), kScheme)) return std::nullopt;
  url.remove_prefix(kScheme.size());
  if (url.find('#') != url.npos) return std::nullopt;

  const std::size_t end = std::min(url.find_first_of("/?"), url.size());
  AbsoluteUrl out{url.substr(0, end), std::string(url.substr(end))};
  if (out.authority.find('@') != out.authority.npos) return std::nullopt;
  if (out.origin_form.empty() && method == "OPTIONS") {
    out.origin_form = "*";  // RFC 9112 section 3.2.4
  } else if (!out.origin_form.starts_with('/')) {
    out.origin_form.insert(0, "/");
  }
  return out;
}

void append_forwarded_request(const HttpHead& head, const AbsoluteUrl& url, ByteQueue& out) {
  const HopByHop hop_by_hop(head);
  std::string text = head.method + " " + url.origin_form + " " + version(head) + "\r\n";
  append_field("Host", url.authority, text);
  for (const HttpField& field : head.fields) {
    if (same_field_name(field.name, "host") || hop_by_hop.contains(field)) continue;
    if (same_field_name(field.name, "trailer")) continue;  // HttpReader drops the trailers
    append_field(field.name, field.value, text);
  }
  text += "Connection: close\r\n\r\n";
  out.append(as_bytes(text));
}

void append_forwarded_response(const HttpHead& head, ByteQueue& out) {
  const HopByHop hop_by_hop(head);
  std::string text = version(head) + " " + std::to_string(head.status) + " " + head.reason + "\r\n";
  for (const HttpField& field : head.fields) {
    if (!hop_by_hop.contains(field)) append_field(field.name, field.value, text);
  }
  text += head.status < 200 ? "\r\n" : "Connection: close\r\n\r\n";
  out.append(as_bytes(text));
}

void append_own_response(unsigned status, std::string_view fields, std::string_view text,
                         bool to_head_request, ByteQueue& out) {
  std::string answer = "HTTP/1.1 " + std::to_string(status) + " ";
  answer.append(reason_phrase(status)).append("\r\n").append(fields);
  append_field("Content-Type", "text/plain", answer);
  append_field("Content-Length", std::to_string(text.size() + 1), answer);
  answer += "Connection: close\r\n\r\n";
  if (!to_head_request) answer.append(text).append("\n");
  out.append(as_bytes(answer));
}

}  // namespace karst::stream::proxy
