#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "crypto/error.h"
#include "crypto/secret.h"

namespace karst::crypto {

// ML-KEM-1024 (FIPS 203).
inline constexpr std::size_t kMlKemPublicBytes = 1568;
inline constexpr std::size_t kMlKemCiphertextBytes = 1568;
using MlKemPublic = std::array<std::uint8_t, kMlKemPublicBytes>;
using MlKemCiphertext = std::array<std::uint8_t, kMlKemCiphertextBytes>;
using MlKemShared = Secret<32, struct MlKemSharedTag>;

// A decapsulation key. It lives in OpenSSL's object, which wipes it on destruction.
class MlKemKeyPair {
 public:
  static MlKemKeyPair generate(Entropy& entropy);
  ~MlKemKeyPair();
  MlKemKeyPair(MlKemKeyPair&&) noexcept;
  MlKemKeyPair& operator=(MlKemKeyPair&&) noexcept;

  // The encapsulation key.
  MlKemPublic public_key() const;
  // Never fails for a ciphertext of the right length: a wrong one gives a secret that nobody
  // knows (implicit rejection, FIPS 203 section 6.3).
  MlKemShared decapsulate(const MlKemCiphertext& ciphertext) const;

 private:
  struct Key;
  explicit MlKemKeyPair(std::unique_ptr<Key> key);
  std::unique_ptr<Key> key_;
};

struct MlKemEncapsulation {
  MlKemCiphertext ciphertext;
  MlKemShared shared;
};
// kBadPublicKey when the key fails the modulus check of FIPS 203 section 7.2.
Result<MlKemEncapsulation> ml_kem_encapsulate(const MlKemPublic& key, Entropy& entropy);

}  // namespace karst::crypto
