#pragma once

// For known-answer tests: the primitives of docs/protocol/, straight from OpenSSL's one-shot calls
// and its own HKDF. Shares nothing with the code of this folder that it is compared with.

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/sha.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"

namespace karst::crypto::reference {

inline ByteVector from_hex(std::string_view hex) {
  ByteVector out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out.push_back(static_cast<std::uint8_t>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return out;
}

inline ByteVector join(std::initializer_list<Bytes> parts) {
  ByteVector out;
  for (const Bytes part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline ByteVector lp(Bytes bytes) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  const std::uint8_t length[] = {
      static_cast<std::uint8_t>(size >> 24), static_cast<std::uint8_t>(size >> 16),
      static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)};
  return join({length, bytes});
}

inline ByteVector sha256(Bytes data) {
  ByteVector out(32);
  SHA256(data.data(), data.size(), out.data());
  return out;
}

inline ByteVector hmac(Bytes key, Bytes data) {
  ByteVector out(32);
  unsigned size = 0;
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data.data(), data.size(),
             out.data(), &size) != nullptr);
  return out;
}

// OpenSSL's HKDF in one of its two halves.
inline ByteVector hkdf(const char* mode, Bytes key, Bytes salt, Bytes info, std::size_t size) {
  EVP_KDF* kdf = EVP_KDF_fetch(nullptr, "HKDF", nullptr);
  EVP_KDF_CTX* context = EVP_KDF_CTX_new(kdf);
  std::string digest = "SHA256", mode_name = mode;
  ByteVector key_copy = to_vector(key), salt_copy = to_vector(salt), info_copy = to_vector(info);
  std::vector<OSSL_PARAM> params = {
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest.data(), 0),
      OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_MODE, mode_name.data(), 0)};
  const auto add = [&](const char* name, ByteVector& value) {
    if (!value.empty()) {
      params.push_back(OSSL_PARAM_construct_octet_string(name, value.data(), value.size()));
    }
  };
  add(OSSL_KDF_PARAM_KEY, key_copy);
  add(OSSL_KDF_PARAM_SALT, salt_copy);
  add(OSSL_KDF_PARAM_INFO, info_copy);
  params.push_back(OSSL_PARAM_construct_end());
  ByteVector out(size);
  CHECK(EVP_KDF_derive(context, out.data(), out.size(), params.data()) == 1);
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kdf);
  return out;
}

// Extract() and Expand() of docs/protocol/session.md.
inline ByteVector extract(Bytes salt, std::initializer_list<Bytes> parts) {
  ByteVector input;
  for (const Bytes part : parts) input = join({input, lp(part)});
  return hkdf("EXTRACT_ONLY", input, salt, {}, 32);
}
inline ByteVector expand(Bytes key, std::string_view label, Bytes rest = {},
                         std::size_t size = 32) {
  return hkdf("EXPAND_ONLY", key, {}, join({as_bytes(label), rest}), size);
}

// Seal() of docs/protocol/session.md.
inline ByteVector seal(Bytes key, Bytes text) {
  const std::uint8_t nonce[12] = {};
  ByteVector out(text.size() + 16);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int size = 0, rest = 0;
  CHECK(EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nullptr, key.data(), nonce) == 1);
  CHECK(EVP_EncryptUpdate(context, out.data(), &size, text.data(), static_cast<int>(text.size())) ==
        1);
  CHECK(EVP_EncryptFinal_ex(context, out.data() + size, &rest) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_GET_TAG, 16, out.data() + text.size()) == 1);
  EVP_CIPHER_CTX_free(context);
  return out;
}
inline std::optional<ByteVector> open(Bytes key, Bytes sealed) {
  const std::uint8_t nonce[12] = {};
  if (sealed.size() < 16) return std::nullopt;
  ByteVector out(sealed.size() - 16);
  ByteVector tag = to_vector(sealed.last(16));
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int size = 0, rest = 0;
  CHECK(EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nullptr, key.data(), nonce) == 1);
  CHECK(EVP_DecryptUpdate(context, out.data(), &size, sealed.data(),
                          static_cast<int>(out.size())) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_GCM_SET_TAG, 16, tag.data()) == 1);
  const bool good = EVP_DecryptFinal_ex(context, out.data() + size, &rest) == 1;
  EVP_CIPHER_CTX_free(context);
  if (!good) return std::nullopt;
  return out;
}

// A private key of any kind made by OpenSSL itself.
class Key {
 public:
  // "X25519", "ML-KEM-1024", "ED25519" or "ML-DSA-65".
  explicit Key(const char* type) : pkey_(EVP_PKEY_Q_keygen(nullptr, nullptr, type)) {
    CHECK(pkey_ != nullptr);
  }
  ~Key() { EVP_PKEY_free(pkey_); }
  Key(const Key&) = delete;
  Key& operator=(const Key&) = delete;

  ByteVector public_key() const {
    std::size_t size = 0;
    CHECK(EVP_PKEY_get_raw_public_key(pkey_, nullptr, &size) == 1);
    ByteVector out(size);
    CHECK(EVP_PKEY_get_raw_public_key(pkey_, out.data(), &size) == 1);
    return out;
  }
  ByteVector agree(Bytes peer) const {
    EVP_PKEY* other =
        EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer.data(), peer.size());
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(pkey_, nullptr);
    std::size_t size = 32;
    ByteVector out(size);
    CHECK(EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer(context, other) == 1 &&
          EVP_PKEY_derive(context, out.data(), &size) == 1);
    EVP_PKEY_CTX_free(context);
    EVP_PKEY_free(other);
    return out;
  }
  ByteVector decapsulate(Bytes ciphertext) const {
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(pkey_, nullptr);
    std::size_t size = 32;
    ByteVector out(size);
    CHECK(EVP_PKEY_decapsulate_init(context, nullptr) == 1 &&
          EVP_PKEY_decapsulate(context, out.data(), &size, ciphertext.data(), ciphertext.size()) ==
              1);
    EVP_PKEY_CTX_free(context);
    return out;
  }
  ByteVector sign(Bytes message) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    CHECK(EVP_DigestSignInit(context, nullptr, nullptr, nullptr, pkey_) == 1);
    std::size_t size = 0;
    CHECK(EVP_DigestSign(context, nullptr, &size, message.data(), message.size()) == 1);
    ByteVector out(size);
    CHECK(EVP_DigestSign(context, out.data(), &size, message.data(), message.size()) == 1);
    EVP_MD_CTX_free(context);
    out.resize(size);
    return out;
  }

 private:
  EVP_PKEY* pkey_;
};

// The peer's side of ML-KEM: ciphertext, shared secret.
inline std::pair<ByteVector, ByteVector> encapsulate(Bytes public_key) {
  EVP_PKEY* key = EVP_PKEY_new_raw_public_key_ex(nullptr, "ML-KEM-1024", nullptr, public_key.data(),
                                                 public_key.size());
  EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(key, nullptr);
  std::size_t ciphertext_size = 1'568, shared_size = 32;
  ByteVector ciphertext(ciphertext_size), shared(shared_size);
  CHECK(EVP_PKEY_encapsulate_init(context, nullptr) == 1 &&
        EVP_PKEY_encapsulate(context, ciphertext.data(), &ciphertext_size, shared.data(),
                             &shared_size) == 1);
  EVP_PKEY_CTX_free(context);
  EVP_PKEY_free(key);
  return {ciphertext, shared};
}

inline bool verify(const char* type, Bytes public_key, Bytes message, Bytes signature) {
  EVP_PKEY* key =
      EVP_PKEY_new_raw_public_key_ex(nullptr, type, nullptr, public_key.data(), public_key.size());
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  CHECK(EVP_DigestVerifyInit(context, nullptr, nullptr, nullptr, key) == 1);
  const bool good = EVP_DigestVerify(context, signature.data(), signature.size(), message.data(),
                                     message.size()) == 1;
  EVP_MD_CTX_free(context);
  EVP_PKEY_free(key);
  return good;
}

}  // namespace karst::crypto::reference
