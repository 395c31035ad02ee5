#pragma once

#include <string>
#include <string_view>

#include "base/entropy.h"
#include "base/result.h"
#include "keys/front_secret.h"
#include "keys/transcript.h"

namespace karst::keys {

inline constexpr ErrorKind kProofMissing{"admission", "proof-missing",
                                         "the request carries no admission proof"};
inline constexpr ErrorKind kProofMalformed{"admission", "proof-malformed",
                                           "the sid cookie is not an admission proof"};
inline constexpr ErrorKind kProofWrong{
    "admission", "proof-wrong",
    "the admission proof was made with another front secret or for another connection"};
inline constexpr ErrorKind kProofReused{"admission", "proof-reused",
                                        "this TLS connection has admitted a client before"};

// Longer authorities are refused as kProofWrong and must not be used by a client (checked).
inline constexpr std::size_t kAuthorityBytesMax = 512;

// The value of the client's `cookie` header field: "sid=" and 64 base64url characters. `authority`
// is the request's :authority exactly as it is sent.
std::string make_admission_cookie(const FrontSecret& secret, const TlsExporter& exporter,
                                  std::string_view authority, Entropy& entropy);

// Proof that the other end of one TLS connection holds a front secret. Only AdmissionGate makes it.
class StreamAccess {
 public:
  FrontGeneration generation() const { return generation_; }
  const FrontSecret& front_secret() const { return front_secret_; }
  const TlsExporter& exporter() const { return exporter_; }

 private:
  friend class AdmissionGate;
  StreamAccess(FrontGeneration generation, FrontSecret secret, TlsExporter exporter)
      : generation_(generation), front_secret_(std::move(secret)), exporter_(std::move(exporter)) {}

  FrontGeneration generation_;
  FrontSecret front_secret_;
  TlsExporter exporter_;
};

// Judges the admission proofs of one TLS connection. One object per connection, made when the TLS
// handshake is done; it admits once.
class AdmissionGate {
 public:
  explicit AdmissionGate(TlsExporter exporter) : exporter_(std::move(exporter)) {}

  // `cookies` is the request's cookie field (several joined by "; "), empty if there is none. On
  // any error the request is one for the public WebSocket; the kind is for the log only.
  Result<StreamAccess> admit(std::string_view cookies, std::string_view authority,
                             const FrontSecrets& secrets, UnixTime now);

 private:
  TlsExporter exporter_;
  bool spent_ = false;
};

}  // namespace karst::keys
