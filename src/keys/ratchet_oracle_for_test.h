#pragma once

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <initializer_list>
#include <memory>

#include "base/bytes.h"
#include "base/check.h"
#include "base/writer.h"

// The derivations of docs/protocol/ratchet.md once more, straight on OpenSSL and with nothing of
// crypto/ or keys/: what the known-answer tests compare with.

namespace karst::keys::oracle {

inline ByteVector join(std::initializer_list<Bytes> parts) {
  ByteVector out;
  for (Bytes part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

inline ByteVector number(std::uint64_t value, std::size_t width) {
  ByteVector out(width);
  for (std::size_t i = width; i-- > 0; value >>= 8) out[i] = static_cast<std::uint8_t>(value);
  return out;
}

inline ByteVector prefixed(Bytes part) { return join({number(part.size(), 4), part}); }

inline ByteVector sha256(Bytes data) {
  ByteVector out(32);
  CHECK(EVP_Digest(data.data(), data.size(), out.data(), nullptr, EVP_sha256(), nullptr) == 1);
  return out;
}

inline ByteVector hmac(Bytes key, Bytes data) {
  ByteVector out(32);
  CHECK(HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), data.data(), data.size(),
             out.data(), nullptr) != nullptr);
  return out;
}

inline ByteVector expand(Bytes key, Bytes info, std::size_t size) {
  ByteVector out, block;
  for (std::uint8_t counter = 1; out.size() < size; ++counter) {
    block = hmac(key, join({block, info, Bytes(&counter, 1)}));
    out.insert(out.end(), block.begin(), block.end());
  }
  out.resize(size);
  return out;
}

using Pkey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using PkeyContext = std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)>;

// `seed` is d | z of FIPS 203.
inline ByteVector ml_kem_decapsulate(Bytes seed, Bytes ciphertext) {
  const PkeyContext making(EVP_PKEY_CTX_new_from_name(nullptr, "ML-KEM-1024", nullptr),
                           EVP_PKEY_CTX_free);
  ByteVector copy = to_vector(seed);
  const OSSL_PARAM params[] = {OSSL_PARAM_construct_octet_string("seed", copy.data(), copy.size()),
                               OSSL_PARAM_construct_end()};
  EVP_PKEY* made = nullptr;
  CHECK(EVP_PKEY_keygen_init(making.get()) == 1);
  CHECK(EVP_PKEY_CTX_set_params(making.get(), params) == 1);
  CHECK(EVP_PKEY_generate(making.get(), &made) == 1);
  const Pkey key(made, EVP_PKEY_free);
  const PkeyContext context(EVP_PKEY_CTX_new(key.get(), nullptr), EVP_PKEY_CTX_free);
  ByteVector out(32);
  std::size_t size = out.size();
  CHECK(EVP_PKEY_decapsulate_init(context.get(), nullptr) == 1);
  CHECK(EVP_PKEY_decapsulate(context.get(), out.data(), &size, ciphertext.data(),
                             ciphertext.size()) == 1);
  return out;
}

inline ByteVector x25519(Bytes private_key, Bytes peer) {
  const Pkey own(EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, nullptr, private_key.data(), 32),
                 EVP_PKEY_free);
  const Pkey other(EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, nullptr, peer.data(), 32),
                   EVP_PKEY_free);
  const PkeyContext context(EVP_PKEY_CTX_new(own.get(), nullptr), EVP_PKEY_CTX_free);
  ByteVector out(32);
  std::size_t size = out.size();
  CHECK(EVP_PKEY_derive_init(context.get()) == 1);
  CHECK(EVP_PKEY_derive_set_peer(context.get(), other.get()) == 1);
  CHECK(EVP_PKEY_derive(context.get(), out.data(), &size) == 1);
  return out;
}

// root(e) from root(e-1).
inline ByteVector epoch_root(std::uint8_t direction, std::uint64_t epoch, Bytes root, Bytes psk,
                             Bytes kem, Bytes dh, Bytes offer, Bytes ack) {
  const ByteVector name = join({number(direction, 1), number(epoch, 8)});
  const ByteVector epoch_psk = expand(psk, join({as_bytes("karst/1 epoch psk"), name}), 32);
  const ByteVector prk =
      hmac(root, join({prefixed(root), prefixed(kem), prefixed(dh), prefixed(epoch_psk)}));
  const ByteVector exchange = sha256(join({name, offer, ack}));
  return expand(prk, join({as_bytes("karst/1 epoch root"), exchange}), 32);
}

inline ByteVector chain_start(Bytes root) { return expand(root, as_bytes("karst/1 chain"), 32); }

// key | nonce | next chain.
inline ByteVector record_step(Bytes chain) { return expand(chain, as_bytes("karst/1 record"), 76); }

// AES-256-GCM; ciphertext, then tag.
inline ByteVector gcm_seal(Bytes key, Bytes nonce, Bytes associated, Bytes text) {
  const std::unique_ptr<EVP_CIPHER_CTX, decltype(&EVP_CIPHER_CTX_free)> context(
      EVP_CIPHER_CTX_new(), EVP_CIPHER_CTX_free);
  ByteVector out(text.size() + 16);
  int size = 0;
  EVP_CIPHER_CTX* c = context.get();
  CHECK(EVP_EncryptInit_ex(c, EVP_aes_256_gcm(), nullptr, key.data(), nonce.data()) == 1);
  CHECK(EVP_EncryptUpdate(c, nullptr, &size, associated.data(),
                          static_cast<int>(associated.size())) == 1);
  CHECK(EVP_EncryptUpdate(c, out.data(), &size, text.data(), static_cast<int>(text.size())) == 1);
  CHECK(EVP_EncryptFinal_ex(c, out.data() + size, &size) == 1);
  CHECK(EVP_CIPHER_CTX_ctrl(c, EVP_CTRL_AEAD_GET_TAG, 16, out.data() + text.size()) == 1);
  return out;
}

}  // namespace karst::keys::oracle
