#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace karst::stream::http2 {

// A name in lower case, and a value.
struct Field {
  std::string name;
  std::string value;
  // Never entered into a compression table, here or further on (RFC 7541 section 7.1.3).
  bool sensitive = false;
  bool operator==(const Field&) const = default;
};

// The cookies of a request as one field would have them: HTTP/2 may cut them into several (RFC 9113
// section 8.2.3).
std::string joined_cookies(const std::vector<Field>& fields);

// The head of a request. Empty strings stand for absent pseudo-header fields. `protocol` is not
// empty for extended CONNECT (RFC 8441), whose method is CONNECT.
struct RequestHead {
  std::string method;
  std::string authority;
  std::string scheme;
  std::string path;
  std::string protocol;
  std::vector<Field> fields;
  // Received only: the list was over its bound, and what did not fit is missing. Answer 431.
  bool oversized = false;
};

struct ResponseHead {
  int status = 0;
  std::vector<Field> fields;
  bool oversized = false;
};

}  // namespace karst::stream::http2
