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

inline constexpr std::size_t kX25519PublicBytes = 32;
using X25519Public = std::array<std::uint8_t, kX25519PublicBytes>;
using X25519Shared = Secret<32, struct X25519SharedTag>;

// An ephemeral X25519 key pair (RFC 7748). The private key lives in OpenSSL's object, which wipes
// it on destruction.
class X25519KeyPair {
 public:
  static X25519KeyPair generate(Entropy& entropy);
  ~X25519KeyPair();
  X25519KeyPair(X25519KeyPair&&) noexcept;
  X25519KeyPair& operator=(X25519KeyPair&&) noexcept;

  const X25519Public& public_key() const { return public_; }
  // kBadPublicKey when the result would be all zero (RFC 7748 section 6.1).
  Result<X25519Shared> agree(const X25519Public& peer) const;

 private:
  struct Key;
  X25519KeyPair(std::unique_ptr<Key> key, const X25519Public& public_key);
  std::unique_ptr<Key> key_;
  X25519Public public_;
};

}  // namespace karst::crypto
