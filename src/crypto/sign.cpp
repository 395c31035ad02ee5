#include "crypto/sign.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

#include "base/check.h"
#include "crypto/ossl.h"

namespace karst::crypto {
namespace {

EVP_SIGNATURE* ml_dsa_algorithm() {
  static const SignaturePtr algorithm(EVP_SIGNATURE_fetch(nullptr, "ML-DSA-65", nullptr));
  return algorithm.get();
}

PkeyPtr ml_dsa_from_seed(const Secret<32, struct MlDsaSeedTag>& stored) {
  auto seed = stored.duplicate();
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_ML_DSA_SEED, seed.expose_mutable().data(),
                                        seed.kBytes),
      OSSL_PARAM_construct_end()};
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "ML-DSA-65", nullptr));
  CHECK(context && EVP_PKEY_keygen_init(context.get()) == 1);
  CHECK(EVP_PKEY_CTX_set_params(context.get(), params) == 1);
  EVP_PKEY* pkey = nullptr;
  CHECK(EVP_PKEY_generate(context.get(), &pkey) == 1);
  return PkeyPtr(pkey);
}

void read_public(EVP_PKEY* pkey, MutableBytes out) {
  std::size_t size = out.size();
  CHECK(EVP_PKEY_get_raw_public_key(pkey, out.data(), &size) == 1 && size == out.size());
}

}  // namespace

struct HybridSigner::Keys {
  PkeyPtr ed25519;
  PkeyPtr ml_dsa;
  HybridPublic public_key;
};

HybridSigner::HybridSigner(const HybridSeed& seed) : keys_(std::make_unique<Keys>()) {
  keys_->ed25519.reset(EVP_PKEY_new_raw_private_key_ex(
      nullptr, "ED25519", nullptr, seed.ed25519.expose().data(), seed.ed25519.kBytes));
  keys_->ml_dsa = ml_dsa_from_seed(seed.ml_dsa);
  CHECK(keys_->ed25519 && keys_->ml_dsa);
  read_public(keys_->ed25519.get(), keys_->public_key.ed25519);
  read_public(keys_->ml_dsa.get(), keys_->public_key.ml_dsa);
}
HybridSigner::~HybridSigner() = default;
HybridSigner::HybridSigner(HybridSigner&&) noexcept = default;
HybridSigner& HybridSigner::operator=(HybridSigner&&) noexcept = default;

const HybridPublic& HybridSigner::public_key() const { return keys_->public_key; }

HybridSignature HybridSigner::sign(Bytes message, Entropy& entropy) const {
  HybridSignature out;
  const DigestCtxPtr digest(EVP_MD_CTX_new());
  CHECK(digest != nullptr);
  std::size_t size = out.ed25519.size();
  CHECK(EVP_DigestSignInit_ex(digest.get(), nullptr, nullptr, nullptr, nullptr,
                              keys_->ed25519.get(), nullptr) == 1);
  CHECK(EVP_DigestSign(digest.get(), out.ed25519.data(), &size, message.data(), message.size()) ==
        1);
  CHECK(size == out.ed25519.size());

  auto hedge = Secret<32, struct MlDsaHedgeTag>::random(entropy);
  const OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_SIGNATURE_PARAM_TEST_ENTROPY,
                                        hedge.expose_mutable().data(), hedge.kBytes),
      OSSL_PARAM_construct_end()};
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, keys_->ml_dsa.get(), nullptr));
  CHECK(context != nullptr);
  CHECK(EVP_PKEY_sign_message_init(context.get(), ml_dsa_algorithm(), params) == 1);
  size = out.ml_dsa.size();
  CHECK(EVP_PKEY_sign(context.get(), out.ml_dsa.data(), &size, message.data(), message.size()) ==
        1);
  CHECK(size == out.ml_dsa.size());
  return out;
}

Result<void> verify(const HybridPublic& key, Bytes message, const HybridSignature& signature) {
  const PkeyPtr ed25519(EVP_PKEY_new_raw_public_key_ex(nullptr, "ED25519", nullptr,
                                                       key.ed25519.data(), key.ed25519.size()));
  if (!ed25519) return kBadPublicKey;
  const DigestCtxPtr digest(EVP_MD_CTX_new());
  CHECK(digest != nullptr);
  CHECK(EVP_DigestVerifyInit_ex(digest.get(), nullptr, nullptr, nullptr, nullptr, ed25519.get(),
                                nullptr) == 1);
  if (EVP_DigestVerify(digest.get(), signature.ed25519.data(), signature.ed25519.size(),
                       message.data(), message.size()) != 1) {
    return kBadSignature;
  }
  const PkeyPtr ml_dsa(EVP_PKEY_new_raw_public_key_ex(nullptr, "ML-DSA-65", nullptr,
                                                      key.ml_dsa.data(), key.ml_dsa.size()));
  if (!ml_dsa) return kBadPublicKey;
  const PkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, ml_dsa.get(), nullptr));
  CHECK(context != nullptr);
  CHECK(EVP_PKEY_verify_message_init(context.get(), ml_dsa_algorithm(), nullptr) == 1);
  if (EVP_PKEY_verify(context.get(), signature.ml_dsa.data(), signature.ml_dsa.size(),
                      message.data(), message.size()) != 1) {
    return kBadSignature;
  }
  return {};
}

}  // namespace karst::crypto
