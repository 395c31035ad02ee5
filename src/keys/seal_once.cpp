#include "keys/seal_once.h"

#include <array>

#include "crypto/aead.h"

namespace karst::keys {
namespace {

constexpr std::array<std::uint8_t, crypto::kAeadNonceBytes> kZeroNonce{};
static_assert(kSealTagBytes == crypto::kAeadTagBytes);

}  // namespace

void seal_once(std::span<const std::uint8_t, 32> key, Bytes text, ByteVector& out) {
  const std::size_t start = out.size();
  out.resize(start + text.size() + kSealTagBytes);
  const MutableBytes space = MutableBytes(out).subspan(start);
  copy_bytes(space, text);
  crypto::AeadSealer sealer(crypto::AeadKind::aes_256_gcm);
  sealer.set_key(key);
  sealer.seal(kZeroNonce, {}, space.first(text.size()), space.last<kSealTagBytes>());
}

std::optional<ByteVector> open_once(std::span<const std::uint8_t, 32> key, Bytes sealed) {
  if (sealed.size() < kSealTagBytes) return std::nullopt;
  ByteVector text = to_vector(sealed.first(sealed.size() - kSealTagBytes));
  crypto::AeadOpener opener(crypto::AeadKind::aes_256_gcm);
  opener.set_key(key);
  if (!opener.open(kZeroNonce, {}, text, sealed.last<kSealTagBytes>())) return std::nullopt;
  return text;
}

}  // namespace karst::keys
