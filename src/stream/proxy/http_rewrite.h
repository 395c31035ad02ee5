#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/byte_queue.h"
#include "stream/proxy/http_head.h"

namespace karst::stream::proxy {

// A request in absolute form, taken apart: "http://authority/path?query".
struct AbsoluteUrl {
  std::string_view authority;  // host[:port], borrowed from the URL
  std::string origin_form;     // "/path?query"
};
// None unless the URL is one: the scheme is http, no user info, no fragment.
std::optional<AbsoluteUrl> parse_absolute_url(std::string_view url, std::string_view method);

// The same request as it goes to the web server: origin form, a Host of our own, "Connection:
// close", without hop-by-hop fields (RFC 9110 section 7.6.1), those that Connection names, and
// Proxy-*. Fields that frame the body stay, whatever Connection says.
void append_forwarded_request(const HttpHead& head, const AbsoluteUrl& url, ByteQueue& out);

// The same response head as it goes to the client. Only a final one says "Connection: close".
void append_forwarded_response(const HttpHead& head, ByteQueue& out);

// An answer of the proxy's own: one line of text, "Connection: close". `fields` are complete
// header lines. Status: 400, 403, 405, 407, 431, 502, 503 or 504. The body is left out for HEAD.
void append_own_response(unsigned status, std::string_view fields, std::string_view text,
                         bool to_head_request, ByteQueue& out);

}  // namespace karst::stream::proxy
