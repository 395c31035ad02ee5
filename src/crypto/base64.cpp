#include "crypto/base64.h"

#include <openssl/evp.h>

#include "base/check.h"
#include "crypto/secret.h"

namespace karst::crypto {
namespace {

struct WipedText {
  std::string text;
  ~WipedText() { wipe({reinterpret_cast<std::uint8_t*>(text.data()), text.size()}); }
};

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

// Invites are secret and come this way: no copy of the text stays behind, whatever comes of it.
Result<ByteVector> base64url_decode(std::string_view text) {
  if (text.size() % 4 == 1 || text.size() > 1u << 24) return kBadBase64;
  const std::size_t padding = (4 - text.size() % 4) % 4;
  WipedText padded;
  // To grow would leave a copy.
  padded.text.reserve(text.size() + padding);
  padded.text = text;
  for (char& c : padded.text) {
    if (c == '+' || c == '/' || c == '=') return kBadBase64;
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  padded.text.append(padding, '=');
  ByteVector out(padded.text.size() / 4 * 3);
  const bool decoded =
      padded.text.empty() ||
      EVP_DecodeBlock(out.data(), reinterpret_cast<const unsigned char*>(padded.text.data()),
                      static_cast<int>(padded.text.size())) == static_cast<int>(out.size());
  out.resize(out.size() - padding);
  if (decoded && WipedText{base64url(out)}.text == text) return out;
  wipe(out);
  return kBadBase64;
}

}  // namespace karst::crypto
