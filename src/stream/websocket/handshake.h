#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace karst::stream::websocket {

// Why an opening handshake is refused; `detail` is the HTTP status that says so.
inline constexpr ErrorKind kNotUpgrade{"websocket", "not-upgrade",
                                       "the request does not ask for a WebSocket properly"};
// 426, with "sec-websocket-version: 13".
inline constexpr ErrorKind kBadVersion{"websocket", "bad-version",
                                       "the client wants another version of WebSocket"};
// `detail` is the status that came.
inline constexpr ErrorKind kNotAccepted{"websocket", "not-accepted",
                                        "the server's answer does not accept the WebSocket"};

// Sec-WebSocket-Accept for a Sec-WebSocket-Key (RFC 6455 section 4.2.2).
std::string accept_key(std::string_view key);

// The fields of an HTTP/1.1 request that count, empty when absent; repeated fields joined by ", ".
struct UpgradeRequest {
  std::string_view method;
  int version_major = 1;
  int version_minor = 1;
  std::string_view host;
  std::string_view upgrade;
  std::string_view connection;
  std::string_view key;
  std::string_view version;
};
// RFC 6455 section 4.2.1.
Result<void> check_upgrade(const UpgradeRequest& request);

// An HTTP/1.1 server's answer to a client that sent `key` (RFC 6455 section 4.1).
struct UpgradeResponse {
  int status = 0;
  std::string_view upgrade;
  std::string_view connection;
  std::string_view accept;
};
Result<void> check_upgrade_response(const UpgradeResponse& response, std::string_view key);

// An extended CONNECT (RFC 8441 section 5); there is no key.
struct ConnectRequest {
  std::string_view method;
  std::string_view protocol;
  std::string_view scheme;
  std::string_view authority;
  std::string_view path;
  std::string_view version;
};
Result<void> check_connect(const ConnectRequest& request);

}  // namespace karst::stream::websocket
