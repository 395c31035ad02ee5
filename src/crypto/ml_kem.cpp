#include "crypto/ml_kem.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/check.h"
#include "crypto/ossl.h"

namespace karst::crypto {

struct MlKemKeyPair::Key {
  PkeyPtr pkey;
};

MlKemKeyPair::MlKemKeyPair(std::unique_ptr<Key> key) : key_(std::move(key)) {}
MlKemKeyPair::~MlKemKeyPair() = default;
MlKemKeyPair::MlKemKeyPair(MlKemKeyPair&&) noexcept = default;
MlKemKeyPair& MlKemKeyPair::operator=(MlKemKeyPair&&) noexcept = default;

MlKemKeyPair MlKemKeyPair::generate(Entropy& entropy) {
  // d || z, FIPS 203 section 7.1.
  auto seed = Secret<64, struct MlKemSeedTag>::random(entropy);
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_ML_KEM_SEED, seed.expose_mutable().data(),
                                        seed.kBytes),
      OSSL_PARAM_construct_end()};
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "ML-KEM-1024", nullptr));
  CHECK(context && EVP_PKEY_keygen_init(context.get()) == 1);
  CHECK(EVP_PKEY_CTX_set_params(context.get(), params) == 1);
  EVP_PKEY* pkey = nullptr;
  CHECK(EVP_PKEY_generate(context.get(), &pkey) == 1);
  return MlKemKeyPair(std::make_unique<Key>(PkeyPtr(pkey)));
}

MlKemPublic MlKemKeyPair::public_key() const {
  MlKemPublic out;
  std::size_t size = out.size();
  CHECK(EVP_PKEY_get_raw_public_key(key_->pkey.get(), out.data(), &size) == 1 &&
        size == out.size());
  return out;
}

MlKemShared MlKemKeyPair::decapsulate(const MlKemCiphertext& ciphertext) const {
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, key_->pkey.get(), nullptr));
  CHECK(context && EVP_PKEY_decapsulate_init(context.get(), nullptr) == 1);
  MlKemShared shared;
  std::size_t size = MlKemShared::kBytes;
  CHECK(EVP_PKEY_decapsulate(context.get(), shared.expose_mutable().data(), &size,
                             ciphertext.data(), ciphertext.size()) == 1);
  CHECK(size == MlKemShared::kBytes);
  return shared;
}

Result<MlKemEncapsulation> ml_kem_encapsulate(const MlKemPublic& key, Entropy& entropy) {
  const PkeyPtr pkey(
      EVP_PKEY_new_raw_public_key_ex(nullptr, "ML-KEM-1024", nullptr, key.data(), key.size()));
  if (!pkey) return kBadPublicKey;
  auto message = Secret<32, struct MlKemMessageTag>::random(entropy);
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_KEM_PARAM_IKME, message.expose_mutable().data(),
                                        message.kBytes),
      OSSL_PARAM_construct_end()};
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, pkey.get(), nullptr));
  CHECK(context && EVP_PKEY_encapsulate_init(context.get(), params) == 1);
  MlKemEncapsulation out;
  std::size_t ciphertext_size = out.ciphertext.size();
  std::size_t shared_size = MlKemShared::kBytes;
  CHECK(EVP_PKEY_encapsulate(context.get(), out.ciphertext.data(), &ciphertext_size,
                             out.shared.expose_mutable().data(), &shared_size) == 1);
  CHECK(ciphertext_size == out.ciphertext.size() && shared_size == MlKemShared::kBytes);
  return out;
}

}  // namespace karst::crypto
