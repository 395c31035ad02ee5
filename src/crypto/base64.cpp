#include "crypto/base64.h"

#include <openssl/evp.h>

#include "base/check.h"

namespace karst::crypto {

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
  if (base64url(out) != text) return kBadBase64;
  return out;
}

}  // namespace karst::crypto
