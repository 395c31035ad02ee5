#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "crypto/digest.h"

namespace karst::stream::tls {

inline constexpr ErrorKind kNotACertificate{"tls", "not-a-certificate",
                                            "the text is not a certificate in PEM"};

// A new key and a certificate that it signed itself. The key's text is wiped when this goes.
struct SelfSigned {
  std::string certificate_pem;
  std::string key_pem;

  SelfSigned() = default;
  ~SelfSigned();
  SelfSigned(SelfSigned&&) noexcept = default;
  SelfSigned& operator=(SelfSigned&&) noexcept;
};

// ECDSA P-256 with SHA-256, for servers that clients pin. `names` are DNS names or the text of IP
// addresses, at least one; all go into the SubjectAltName and the first is the common name. The
// key comes from OpenSSL's generator.
SelfSigned make_self_signed(std::span<const std::string> names, UnixTime not_before,
                            UnixTime not_after);

// What PinnedKey holds for this certificate (the first one in the text).
Result<crypto::Sha256Digest> spki_pin(std::string_view certificate_pem);

}  // namespace karst::stream::tls
