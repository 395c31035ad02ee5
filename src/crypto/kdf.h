#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>

#include "base/bytes.h"
#include "crypto/secret.h"

namespace karst::crypto {

inline constexpr std::size_t kHashBytes = 32;

// HMAC-SHA256 (RFC 2104) with a reused OpenSSL context; one thread. set_key() starts a key, each
// begin()..finish() makes one tag under it.
class Hmac {
 public:
  Hmac();
  ~Hmac();
  Hmac(Hmac&&) noexcept;
  Hmac& operator=(Hmac&&) noexcept;

  void set_key(Bytes key);
  void begin();
  void update(Bytes data);
  // Appends lp(data): its length as a big-endian u32, then the bytes.
  void update_prefixed(Bytes data);
  void finish(std::span<std::uint8_t, kHashBytes> out);

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

// One tag over the concatenation of the parts.
std::array<std::uint8_t, kHashBytes> hmac_sha256(Bytes key, std::initializer_list<Bytes> parts);

// HKDF-Extract (RFC 5869 section 2.2) whose input keying material is lp(part) for each part, so
// that no two lists of parts give the same input.
void hkdf_extract_prefixed(Bytes salt, std::initializer_list<Bytes> parts,
                           std::span<std::uint8_t, kHashBytes> out);

// HKDF-Expand (RFC 5869 section 2.3); info is the concatenation of the parts. At most 255 * 32
// bytes of output. The form with an Hmac reuses its context for speed; its key is replaced.
void hkdf_expand(Hmac& hmac, Bytes key, std::initializer_list<Bytes> info, MutableBytes out);
void hkdf_expand(Bytes key, std::initializer_list<Bytes> info, MutableBytes out);
// The same with the key that was last given to hmac.set_key().
void hkdf_expand_keyed(Hmac& hmac, std::initializer_list<Bytes> info, MutableBytes out);

}  // namespace karst::crypto
