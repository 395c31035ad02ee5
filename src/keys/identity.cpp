#include "keys/identity.h"

#include "base/writer.h"
#include "crypto/digest.h"
#include "crypto/hex.h"

namespace karst::keys {
namespace {

constexpr std::string_view kPrefix = "karst-identity-1:";
constexpr std::size_t kSeedHexBytes = 64;
static_assert(kIdentityTextBytes == kPrefix.size() + 2 * kSeedHexBytes + 1);

}  // namespace

crypto::HybridSeed generate_identity(Entropy& entropy) {
  return {decltype(crypto::HybridSeed::ed25519)::random(entropy),
          decltype(crypto::HybridSeed::ml_dsa)::random(entropy)};
}

IdentityText format_identity(const crypto::HybridSeed& seed) {
  IdentityText text;
  Writer writer(text.expose_mutable());
  writer.bytes(as_bytes(kPrefix));
  crypto::hex_encode(seed.ed25519.expose(), writer.take(kSeedHexBytes));
  crypto::hex_encode(seed.ml_dsa.expose(), writer.take(kSeedHexBytes));
  writer.u8('\n');
  return text;
}

Result<crypto::HybridSeed> parse_identity(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.starts_with(kPrefix)) return kBadIdentityFile;
  text.remove_prefix(kPrefix.size());
  crypto::HybridSeed seed;
  if (text.size() != 2 * kSeedHexBytes ||
      !crypto::hex_decode(text.substr(0, kSeedHexBytes), seed.ed25519.expose_mutable()) ||
      !crypto::hex_decode(text.substr(kSeedHexBytes), seed.ml_dsa.expose_mutable())) {
    return kBadIdentityFile;
  }
  return seed;
}

NodeId node_id(const crypto::HybridPublic& identity) {
  return {crypto::sha256({identity.ed25519, identity.ml_dsa})};
}

}  // namespace karst::keys
