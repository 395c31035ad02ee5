#include "stream/proxy/credentials.h"

#include <algorithm>
#include <string>

#include "crypto/base64.h"
#include "crypto/ct.h"
#include "stream/proxy/error.h"

namespace karst::stream::proxy {
namespace {

crypto::Sha256Digest digest_of(Bytes user, Bytes password) {
  crypto::Sha256 hash;
  hash.update_prefixed(user);
  hash.update_prefixed(password);
  return hash.current();
}

bool acceptable(std::string_view text) {
  return !text.empty() && text.size() <= 255 && std::ranges::none_of(text, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

}  // namespace

Result<Credentials> Credentials::make(std::string_view user, std::string_view password) {
  if (!acceptable(user) || !acceptable(password) || user.find(':') != user.npos) {
    return kCredentialsOutOfRange;
  }
  Credentials out;
  out.pair_ = digest_of(as_bytes(user), as_bytes(password));
  std::string both(user);
  both.append(":").append(password);
  const std::string token = crypto::base64(as_bytes(both));
  out.basic_ = crypto::sha256({as_bytes(token)});
  return out;
}

bool Credentials::match(Bytes user, Bytes password) const {
  return crypto::ct_equal(digest_of(user, password), pair_);
}

bool Credentials::match_basic(std::string_view header_value) const {
  // RFC 9110 section 11.4: the scheme's name has no case.
  constexpr std::string_view kScheme = "basic ";
  if (header_value.size() < kScheme.size()) return false;
  for (std::size_t i = 0; i < kScheme.size(); ++i) {
    const char c = header_value[i];
    if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != kScheme[i]) return false;
  }
  header_value.remove_prefix(kScheme.size());
  while (header_value.starts_with(' ')) header_value.remove_prefix(1);
  while (header_value.ends_with(' ')) header_value.remove_suffix(1);
  return crypto::ct_equal(crypto::sha256({as_bytes(header_value)}), basic_);
}

}  // namespace karst::stream::proxy
