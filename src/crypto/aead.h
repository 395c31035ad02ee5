#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "crypto/error.h"

namespace karst::crypto {

enum class AeadKind : std::uint8_t { aes_256_gcm = 1, chacha20_poly1305 = 2 };

inline constexpr std::size_t kAeadKeyBytes = 32;
inline constexpr std::size_t kAeadNonceBytes = 12;
inline constexpr std::size_t kAeadTagBytes = 16;

// One direction of one AEAD (RFC 5116; NIST SP 800-38D, RFC 8439) with a reused OpenSSL context:
// set_key, then any number of operations under that key, then the next set_key. The caller never
// uses a nonce twice under one key. One thread. Destruction wipes the key schedule.
class AeadSealer {
 public:
  explicit AeadSealer(AeadKind kind);
  ~AeadSealer();
  AeadSealer(AeadSealer&&) noexcept;
  AeadSealer& operator=(AeadSealer&&) noexcept;

  void set_key(std::span<const std::uint8_t, kAeadKeyBytes> key);
  // Encrypts `text` in place and writes the tag.
  void seal(std::span<const std::uint8_t, kAeadNonceBytes> nonce, Bytes associated,
            MutableBytes text, std::span<std::uint8_t, kAeadTagBytes> tag);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

class AeadOpener {
 public:
  explicit AeadOpener(AeadKind kind);
  ~AeadOpener();
  AeadOpener(AeadOpener&&) noexcept;
  AeadOpener& operator=(AeadOpener&&) noexcept;

  void set_key(std::span<const std::uint8_t, kAeadKeyBytes> key);
  // Decrypts `text` in place. On kNotAuthentic `text` has been wiped: unauthenticated plaintext
  // is never left to the caller.
  Result<void> open(std::span<const std::uint8_t, kAeadNonceBytes> nonce, Bytes associated,
                    MutableBytes text, std::span<const std::uint8_t, kAeadTagBytes> tag);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace karst::crypto
