#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stream/cover/http_message.h"

namespace karst::stream::cover {

// How the body of a request goes to the backend.
enum class BodyFraming : std::uint8_t { none, length, chunked, socket };
BodyFraming body_framing(const Request& request);

// The head of the HTTP/1.1 request that the backend gets for a client's request: hop-by-hop headers
// removed (RFC 9110 section 7.6.1), Host as the client said it (or `authority`), X-Forwarded-For,
// -Proto and -Host set by us alone, names with an underscore left out, Connection: close. For
// BodyFraming::socket it is the opening handshake of a WebSocket with `socket_key` as its
// Sec-WebSocket-Key.
//
// Nullopt when the request has something that could not be written as one request: that is a 400.
std::optional<std::string> format_backend_request(const Request& request,
                                                  std::string_view authority,
                                                  std::string_view socket_key);

// Whether a header (its name in lower case) is for one connection only: those that RFC 9110 names,
// and those that the list's own Connection header names.
bool is_hop_by_hop(const HeaderList& headers, std::string_view name);

}  // namespace karst::stream::cover
