#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "base/bytes.h"

namespace karst::crypto {

inline constexpr std::size_t kSha256Bytes = 32;
using Sha256Digest = std::array<std::uint8_t, kSha256Bytes>;

// SHA-256 (FIPS 180-4) over the concatenation of the parts.
Sha256Digest sha256(std::initializer_list<Bytes> parts);

// SHA-1 over `data`: only for Sec-WebSocket-Accept (RFC 6455 section 4.2.2), where it protects
// nothing.
std::array<std::uint8_t, 20> sha1(Bytes data);

// A running SHA-256 whose value can be read without ending it, as a handshake transcript needs.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;

  void update(Bytes data);
  // Appends lp(data): its length as a big-endian u32, then the bytes.
  void update_prefixed(Bytes data);
  Sha256Digest current() const;

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

}  // namespace karst::crypto
