#pragma once

#include <optional>
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

// The value of the first field of that name (in lower case), borrowed from the list.
std::optional<std::string_view> find_field(const std::vector<Field>& fields, std::string_view name);

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
