#include "keys/admission.h"

#include <array>
#include <optional>

#include "base/check.h"
#include "base/reader.h"
#include "base/writer.h"
#include "crypto/base64.h"
#include "crypto/ct.h"
#include "crypto/kdf.h"
#include "keys/labels.h"

namespace karst::keys {
namespace {

constexpr std::string_view kCookieName = "sid=";
constexpr std::size_t kRandomBytes = 16;
constexpr std::size_t kProofBytes = kRandomBytes + crypto::kHashBytes;

std::array<std::uint8_t, crypto::kHashBytes> proof_mac(const FrontSecret& secret,
                                                       const TlsExporter& exporter,
                                                       std::string_view authority, Bytes random) {
  crypto::Hmac hmac;
  hmac.set_key(secret.expose());
  hmac.begin();
  hmac.update(as_bytes(kAdmissionLabel));
  hmac.update(exporter.expose());
  hmac.update_prefixed(as_bytes(authority));
  hmac.update(random);
  std::array<std::uint8_t, crypto::kHashBytes> mac;
  hmac.finish(mac);
  return mac;
}

// The value of the first sid cookie (RFC 6265 section 4.2.1).
std::optional<std::string_view> find_cookie(std::string_view cookies) {
  while (!cookies.empty()) {
    const std::size_t end = cookies.find(';');
    const std::string_view pair = cookies.substr(0, end);
    if (pair.starts_with(kCookieName)) return pair.substr(kCookieName.size());
    if (end == std::string_view::npos) break;
    cookies.remove_prefix(end + 1);
    if (cookies.starts_with(' ')) cookies.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace

std::string make_admission_cookie(const FrontSecret& secret, const TlsExporter& exporter,
                                  std::string_view authority, Entropy& entropy) {
  CHECK(authority.size() <= kAuthorityBytesMax);
  std::array<std::uint8_t, kProofBytes> proof;
  Writer writer(proof);
  const auto random = entropy.bytes<kRandomBytes>();
  writer.bytes(random);
  writer.bytes(proof_mac(secret, exporter, authority, random));
  return std::string(kCookieName) + crypto::base64url(proof);
}

Result<StreamAccess> AdmissionGate::admit(std::string_view cookies, std::string_view authority,
                                          const FrontSecrets& secrets, UnixTime now) {
  const auto value = find_cookie(cookies);
  if (!value) return kProofMissing;
  if (value->size() != kProofBytes / 3 * 4) return kProofMalformed;
  const auto decoded = crypto::base64url_decode(*value);
  if (!decoded) return kProofMalformed;
  if (authority.size() > kAuthorityBytesMax) return kProofWrong;
  Reader reader(*decoded);
  const Bytes random = reader.bytes(kRandomBytes);
  const Bytes mac = reader.rest();
  const auto matches = [&](const FrontSecret& secret) {
    return crypto::ct_equal(proof_mac(secret, exporter_, authority, random), mac);
  };
  const FrontSecret* previous = secrets.previous(now);
  const FrontSecret* used = matches(secrets.current())                  ? &secrets.current()
                            : previous != nullptr && matches(*previous) ? previous
                                                                        : nullptr;
  if (used == nullptr) return kProofWrong;
  if (spent_) return kProofReused;
  spent_ = true;
  return StreamAccess(used == previous ? secrets.previous_generation() : secrets.generation(),
                      used->duplicate(), exporter_.duplicate());
}

}  // namespace karst::keys
