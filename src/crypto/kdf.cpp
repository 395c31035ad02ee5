#include "crypto/kdf.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include <algorithm>

#include "base/check.h"
#include "crypto/ossl.h"

namespace karst::crypto {
namespace {

MacCtxPtr new_hmac_context() {
  static const MacPtr algorithm(EVP_MAC_fetch(nullptr, "HMAC", nullptr));
  CHECK(algorithm != nullptr);
  MacCtxPtr context(EVP_MAC_CTX_new(algorithm.get()));
  CHECK(context != nullptr);
  char digest[] = "SHA256";
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                               OSSL_PARAM_construct_end()};
  CHECK(EVP_MAC_CTX_set_params(context.get(), params) == 1);
  return context;
}

}  // namespace

struct Hmac::Context {
  MacCtxPtr mac = new_hmac_context();
};

Hmac::Hmac() : context_(std::make_unique<Context>()) {}
Hmac::~Hmac() = default;
Hmac::Hmac(Hmac&&) noexcept = default;
Hmac& Hmac::operator=(Hmac&&) noexcept = default;

void Hmac::set_key(Bytes key) {
  // OpenSSL takes a null key as "keep the old one"; an empty HMAC key must not mean that.
  static constexpr std::uint8_t kNone = 0;
  CHECK(EVP_MAC_init(context_->mac.get(), key.empty() ? &kNone : key.data(), key.size(), nullptr) ==
        1);
}

void Hmac::begin() { CHECK(EVP_MAC_init(context_->mac.get(), nullptr, 0, nullptr) == 1); }

void Hmac::update(Bytes data) {
  CHECK(EVP_MAC_update(context_->mac.get(), data.data(), data.size()) == 1);
}

void Hmac::update_prefixed(Bytes data) {
  CHECK(data.size() <= 0xffffffffu);
  const auto size = data.size();
  const std::array<std::uint8_t, 4> length = {
      static_cast<std::uint8_t>(size >> 24), static_cast<std::uint8_t>(size >> 16),
      static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)};
  update(length);
  update(data);
}

void Hmac::finish(std::span<std::uint8_t, kHashBytes> out) {
  std::size_t length = 0;
  CHECK(EVP_MAC_final(context_->mac.get(), out.data(), &length, out.size()) == 1);
  CHECK(length == kHashBytes);
}

std::array<std::uint8_t, kHashBytes> hmac_sha256(Bytes key, std::initializer_list<Bytes> parts) {
  Hmac hmac;
  hmac.set_key(key);
  hmac.begin();
  for (Bytes part : parts) hmac.update(part);
  std::array<std::uint8_t, kHashBytes> out;
  hmac.finish(out);
  return out;
}

void hkdf_extract_prefixed(Bytes salt, std::initializer_list<Bytes> parts,
                           std::span<std::uint8_t, kHashBytes> out) {
  Hmac hmac;
  hmac.set_key(salt);
  hmac.begin();
  for (Bytes part : parts) hmac.update_prefixed(part);
  hmac.finish(out);
}

void hkdf_expand(Hmac& hmac, Bytes key, std::initializer_list<Bytes> info, MutableBytes out) {
  hmac.set_key(key);
  hkdf_expand_keyed(hmac, info, out);
}

void hkdf_expand_keyed(Hmac& hmac, std::initializer_list<Bytes> info, MutableBytes out) {
  CHECK(out.size() <= 255 * kHashBytes);
  std::array<std::uint8_t, kHashBytes> block;
  std::size_t previous = 0;
  std::uint8_t counter = 1;
  while (!out.empty()) {
    hmac.begin();
    hmac.update(Bytes(block).first(previous));
    for (Bytes part : info) hmac.update(part);
    hmac.update({&counter, 1});
    hmac.finish(block);
    const std::size_t count = std::min(out.size(), block.size());
    copy_bytes(out, Bytes(block).first(count));
    out = out.subspan(count);
    previous = block.size();
    ++counter;
  }
  wipe(block);
}

void hkdf_expand(Bytes key, std::initializer_list<Bytes> info, MutableBytes out) {
  Hmac hmac;
  hkdf_expand(hmac, key, info, out);
}

}  // namespace karst::crypto
