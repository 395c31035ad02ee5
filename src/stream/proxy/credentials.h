#pragma once

#include <string_view>

#include "base/result.h"
#include "crypto/digest.h"

namespace karst::stream::proxy {

// The one user and password that the entry accepts. Keeps digests only; comparing takes a time
// that depends on the length of what the client sent and on nothing else.
class Credentials {
 public:
  // 1 to 255 bytes each (RFC 1929), no colon in the user (RFC 7617), no control characters.
  static Result<Credentials> make(std::string_view user, std::string_view password);

  bool match(Bytes user, Bytes password) const;
  // The value of a Proxy-Authorization header: "Basic" and the token in its canonical base64.
  bool match_basic(std::string_view header_value) const;

 private:
  Credentials() = default;
  crypto::Sha256Digest pair_{};
  crypto::Sha256Digest basic_{};
};

}  // namespace karst::stream::proxy
