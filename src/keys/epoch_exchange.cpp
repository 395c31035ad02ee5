#include "keys/epoch_exchange.h"

#include <utility>

#include "base/writer.h"
#include "crypto/kdf.h"
#include "keys/labels.h"

namespace karst::keys {
namespace {

using EpochPsk = crypto::Secret<32, struct EpochPskTag>;

// u8(direction) | u64(epoch).
std::array<std::uint8_t, 9> name_of(Direction direction, std::uint64_t epoch) {
  std::array<std::uint8_t, 9> out;
  Writer writer(out);
  writer.u8(static_cast<std::uint8_t>(direction));
  writer.u64(epoch);
  return out;
}

EpochRoot derive_root(Direction direction, std::uint64_t epoch, const EpochRoot& root,
                      const PskLink& psk, const crypto::MlKemShared& kem,
                      const crypto::X25519Shared& x25519, const crypto::Sha256Digest& exchange) {
  EpochPsk epoch_psk;
  crypto::hkdf_expand(psk.expose(), {as_bytes(kEpochPskLabel), name_of(direction, epoch)},
                      epoch_psk.expose_mutable());
  crypto::Secret<32, struct EpochPrkTag> prk;
  crypto::hkdf_extract_prefixed(root.expose(),
                                {root.expose(), kem.expose(), x25519.expose(), epoch_psk.expose()},
                                prk.expose_mutable());
  EpochRoot next;
  crypto::hkdf_expand(prk.expose(), {as_bytes(kEpochRootLabel), exchange}, next.expose_mutable());
  return next;
}

}  // namespace

OfferSecrets::OfferSecrets(Direction direction, std::uint64_t epoch, crypto::MlKemKeyPair kem,
                           crypto::X25519KeyPair x25519, Bytes offer_body)
    : direction_(direction), epoch_(epoch), kem_(std::move(kem)), x25519_(std::move(x25519)) {
  exchange_.update(name_of(direction, epoch));
  exchange_.update(offer_body);
}

OfferSecrets OfferSecrets::make(Direction direction, std::uint64_t epoch, Entropy& entropy,
                                OfferBody& body) {
  auto kem = crypto::MlKemKeyPair::generate(entropy);
  auto x25519 = crypto::X25519KeyPair::generate(entropy);
  wire::format_offer({epoch, x25519.public_key(), kem.public_key()}, body);
  return {direction, epoch, std::move(kem), std::move(x25519), body};
}

Result<EpochRoot> OfferSecrets::finish(const EpochRoot& root, const PskLink& psk,
                                       const wire::Ack& ack, Bytes body) {
  const auto x25519 = x25519_.agree(ack.x25519);
  if (!x25519.ok()) return kAckBadKey;
  const auto kem = kem_.decapsulate(ack.kem);
  exchange_.update(body);
  return derive_root(direction_, epoch_, root, psk, kem, *x25519, exchange_.current());
}

Result<EpochRoot> answer_offer(Direction direction, const EpochRoot& root, const PskLink& psk,
                               const wire::Offer& offer, Entropy& entropy, AckBody& body) {
  const auto own = crypto::X25519KeyPair::generate(entropy);
  const auto x25519 = own.agree(offer.x25519);
  if (!x25519.ok()) return kOfferBadKey;
  const auto kem = crypto::ml_kem_encapsulate(offer.kem, entropy);
  if (!kem.ok()) return kOfferBadKey;
  wire::format_ack({offer.epoch, own.public_key(), kem->ciphertext}, body);
  OfferBody offer_body;
  wire::format_offer(offer, offer_body);
  const auto exchange = crypto::sha256({name_of(direction, offer.epoch), offer_body, body});
  return derive_root(direction, offer.epoch, root, psk, kem->shared, *x25519, exchange);
}

}  // namespace karst::keys
