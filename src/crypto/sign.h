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

// The hybrid signature: Ed25519 (RFC 8032) and ML-DSA-65 (FIPS 204) over the same bytes. It
// counts only if both verify.
inline constexpr std::size_t kEd25519PublicBytes = 32;
inline constexpr std::size_t kEd25519SignatureBytes = 64;
inline constexpr std::size_t kMlDsaPublicBytes = 1952;
inline constexpr std::size_t kMlDsaSignatureBytes = 3309;

struct HybridPublic {
  std::array<std::uint8_t, kEd25519PublicBytes> ed25519;
  std::array<std::uint8_t, kMlDsaPublicBytes> ml_dsa;
  bool operator==(const HybridPublic&) const = default;
};
struct HybridSignature {
  std::array<std::uint8_t, kEd25519SignatureBytes> ed25519;
  std::array<std::uint8_t, kMlDsaSignatureBytes> ml_dsa;
};

// Both private keys are made from these 32-byte seeds (RFC 8032 section 5.1.5, FIPS 204
// section 6.1), which is also how they are stored.
struct HybridSeed {
  Secret<32, struct Ed25519SeedTag> ed25519;
  Secret<32, struct MlDsaSeedTag> ml_dsa;
};

class HybridSigner {
 public:
  explicit HybridSigner(const HybridSeed& seed);
  ~HybridSigner();
  HybridSigner(HybridSigner&&) noexcept;
  HybridSigner& operator=(HybridSigner&&) noexcept;

  const HybridPublic& public_key() const;
  // ML-DSA is hedged with 32 bytes of `entropy`. About 1 ms.
  HybridSignature sign(Bytes message, Entropy& entropy) const;

 private:
  struct Keys;
  std::unique_ptr<Keys> keys_;
};

// Ed25519 first, since it is the cheaper refusal. kBadPublicKey or kBadSignature.
Result<void> verify(const HybridPublic& key, Bytes message, const HybridSignature& signature);

}  // namespace karst::crypto
