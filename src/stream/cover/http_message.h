#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "stream/cover/limits.h"

// Requests and responses as values that do not know which version of HTTP carried them.
namespace karst::stream::cover {

// The two times that answering needs: the monotonic one for deadlines, the wall clock for Date.
struct Moment {
  TimePoint now;
  UnixTime wall;
};

// A name in lower case, as HTTP/2 wants it; HTTP/1.1 writes header_title(name).
struct Header {
  std::string name;
  std::string value;
  bool operator==(const Header&) const = default;
};

// "content-type" -> "Content-Type", "etag" -> "ETag": how names are customarily written in
// HTTP/1.1.
std::string header_title(std::string_view name);

// ASCII only, as header names are compared.
bool equal_ignoring_case(std::string_view a, std::string_view b);

// Whether a comma-separated list such as Connection's holds the token.
bool list_has_token(std::string_view list, std::string_view token);

// An ordered list of headers, bounded in count and in bytes.
class HeaderList {
 public:
  explicit HeaderList(std::size_t bytes_max = kResponseHeaderBytesMax) : bytes_max_(bytes_max) {}

  // Appends, with the name in lower case. False, and nothing happens, when a bound would be passed.
  [[nodiscard]] bool add(std::string_view name, std::string_view value);
  // The same for headers of our own, which fit.
  void put(std::string_view name, std::string_view value);
  // All headers of that name (in lower case) go.
  void remove(std::string_view name);

  // The value of the first header of that name (in lower case), borrowed until the list changes.
  std::optional<std::string_view> find(std::string_view name) const;
  std::size_t count(std::string_view name) const;
  // Whether any header of that name lists the token.
  bool has_token(std::string_view name, std::string_view token) const;

  std::size_t size() const { return headers_.size(); }
  auto begin() const { return headers_.begin(); }
  auto end() const { return headers_.end(); }
  bool operator==(const HeaderList& other) const { return headers_ == other.headers_; }

 private:
  std::vector<Header> headers_;
  std::size_t bytes_ = 0;
  std::size_t bytes_max_;
};

struct Request {
  std::string method;     // as sent, "GET"
  std::string scheme;     // "https"
  std::string authority;  // Host or :authority, possibly empty in HTTP/1.0
  std::string path;       // origin form with query, as sent: "/a%20b?c"
  // "websocket" for a well-formed opening handshake: HTTP/1.1 Upgrade (RFC 6455 section 4.2.1, its
  // hop-by-hop and sec-websocket-key headers not in the list) or extended CONNECT (RFC 8441).
  std::string protocol;
  std::string client;  // the peer's address as text, without port
  HeaderList headers{kRequestHeaderBytesMax};
  // Whether a body follows the headers. It says nothing where `protocol` is set: a socket's bytes
  // follow its answer.
  bool has_body = false;
  // The headers were over their bound and some are missing: the answer is 431.
  bool oversized = false;
};

// The head of an answer. Its headers hold everything but what belongs to one version of HTTP:
// no status line or :status, no Connection, Transfer-Encoding or Upgrade. content-length is in the
// list, in its place, when the length is known.
struct Response {
  int status = 0;
  HeaderList headers;
  // The opening handshake succeeded: 101 in HTTP/1.1, 200 in HTTP/2; bytes flow both ways from
  // here.
  bool is_socket = false;
  // An HTTP/1.1 connection is closed behind it, as nginx does where a client has lost its way.
  bool ends_connection = false;
};

// The reason phrase of the status line: "Not Found".
std::string_view reason_phrase(int status);

}  // namespace karst::stream::cover
