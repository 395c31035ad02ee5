#include "crypto/x25519.h"

#include "base/check.h"
#include "crypto/ossl.h"

namespace karst::crypto {

struct X25519KeyPair::Key {
  PkeyPtr pkey;
};

X25519KeyPair::X25519KeyPair(std::unique_ptr<Key> key, const X25519Public& public_key)
    : key_(std::move(key)), public_(public_key) {}
X25519KeyPair::~X25519KeyPair() = default;
X25519KeyPair::X25519KeyPair(X25519KeyPair&&) noexcept = default;
X25519KeyPair& X25519KeyPair::operator=(X25519KeyPair&&) noexcept = default;

X25519KeyPair X25519KeyPair::generate(Entropy& entropy) {
  const auto seed = Secret<32, struct X25519PrivateTag>::random(entropy);
  PkeyPtr pkey(EVP_PKEY_new_raw_private_key_ex(nullptr, "X25519", nullptr, seed.expose().data(),
                                               seed.kBytes));
  CHECK(pkey != nullptr);
  X25519Public public_key;
  std::size_t size = public_key.size();
  CHECK(EVP_PKEY_get_raw_public_key(pkey.get(), public_key.data(), &size) == 1 &&
        size == public_key.size());
  return {std::make_unique<Key>(std::move(pkey)), public_key};
}

Result<X25519Shared> X25519KeyPair::agree(const X25519Public& peer) const {
  const PkeyPtr other(
      EVP_PKEY_new_raw_public_key_ex(nullptr, "X25519", nullptr, peer.data(), peer.size()));
  if (!other) return kBadPublicKey;
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, key_->pkey.get(), nullptr));
  CHECK(context && EVP_PKEY_derive_init(context.get()) == 1);
  X25519Shared shared;
  std::size_t size = X25519Shared::kBytes;
  if (EVP_PKEY_derive_set_peer(context.get(), other.get()) != 1 ||
      EVP_PKEY_derive(context.get(), shared.expose_mutable().data(), &size) != 1 ||
      size != X25519Shared::kBytes) {
    return kBadPublicKey;
  }
  return shared;
}

}  // namespace karst::crypto
