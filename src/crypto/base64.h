#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::crypto {

inline constexpr ErrorKind kBadBase64{"crypto", "bad-base64", "the text is not valid base64url"};

// RFC 4648 section 4, with padding. For public values: OpenSSL's tables are not constant-time.
std::string base64(Bytes bytes);
// RFC 4648 section 5, without padding.
std::string base64url(Bytes bytes);
// Accepts exactly what base64url() writes: no padding, no line breaks, unused bits zero.
Result<ByteVector> base64url_decode(std::string_view text);

}  // namespace karst::crypto
