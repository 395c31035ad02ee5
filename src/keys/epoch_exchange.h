#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "crypto/digest.h"
#include "crypto/ml_kem.h"
#include "crypto/x25519.h"
#include "keys/link_secrets.h"
#include "keys/ratchet_error.h"
#include "wire/ack.h"
#include "wire/offer.h"

namespace karst::keys {

// One exchange of the ratchet: OFFER(e) and ACK(e) turn root(e-1) into root(e).
// docs/protocol/ratchet.md "Derivation".

using OfferBody = std::array<std::uint8_t, wire::kOfferBytes>;
using AckBody = std::array<std::uint8_t, wire::kAckBytes>;

// The private half of an OFFER in flight. Destruction wipes both private keys.
class OfferSecrets {
 public:
  // Makes fresh keys and writes the OFFER that carries their public halves.
  static OfferSecrets make(Direction direction, std::uint64_t epoch, Entropy& entropy,
                           OfferBody& body);

  std::uint64_t epoch() const { return epoch_; }
  // root(e) from root(e-1). The ACK has been parsed from `body` and names this epoch; an exchange
  // is finished once. kAckBadKey.
  Result<EpochRoot> finish(const EpochRoot& root, const PskLink& psk, const wire::Ack& ack,
                           Bytes body);

 private:
  OfferSecrets(Direction direction, std::uint64_t epoch, crypto::MlKemKeyPair kem,
               crypto::X25519KeyPair x25519, Bytes offer_body);

  Direction direction_;
  std::uint64_t epoch_;
  crypto::MlKemKeyPair kem_;
  crypto::X25519KeyPair x25519_;
  crypto::Sha256 exchange_;  // up to the end of the OFFER
};

// The other side: root(e) from root(e-1), and the ACK that lets the offering side derive it too.
// `direction` is that of the OFFER. kOfferBadKey.
Result<EpochRoot> answer_offer(Direction direction, const EpochRoot& root, const PskLink& psk,
                               const wire::Offer& offer, Entropy& entropy, AckBody& body);

}  // namespace karst::keys
