#include "crypto/base64.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "crypto/secret.h"

namespace karst::crypto {
namespace {

void wipe_text(std::string& text) {
  wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
}

}  // namespace

std::string base64(Bytes bytes) {
  CHECK(bytes.size() <= 1u << 24);
  std::string out((bytes.size() + 2) / 3 * 4 + 1, '\0');
  const int length = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes.data(),
                                     static_cast<int>(bytes.size()));
  out.resize(static_cast<std::size_t>(length));
  return out;
}

std::string base64url(Bytes bytes) {
  std::string out = base64(bytes);
  while (!out.empty() && out.back() == '=') out.pop_back();
  for (char& c : out) {
    if (c == '+') c = '-';
    if (c == '/') c = '_';
  }
  return out;
}

Result<ByteVector> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1 || text.size() > 1u << 24) return kBadBase64;
  std::string padded(text);
  for (char& c : padded) {
    if (c == '+' || c == '/' || c == '=') return kBadBase64;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  const std::size_t padding = (4 - padded.size() % 4) % 4;
  padded.append(padding, '=');
  ByteVector out(padded.size() / 4 * 3);
  if (!padded.empty() &&
      EVP_DecodeBlock(out.data(), reinterpret_cast<const unsigned char*>(padded.data()),
                      static_cast<int>(padded.size())) != static_cast<int>(out.size())) {
    return kBadBase64;
  }
  out.resize(out.size() - padding);
  std::string again = base64url(out);
  const bool canonical = again == text;
  // Invites are secret and come this way: no copy of the text stays behind.
  wipe_text(padded);
  wipe_text(again);
  if (!canonical) return kBadBase64;
  return out;
}

}  // namespace karst::crypto
