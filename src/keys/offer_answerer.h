#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/epoch_exchange.h"
#include "keys/epoch_secret.h"
#include "keys/link_secrets.h"
#include "keys/work_bound.h"
#include "wire/offer.h"

namespace karst::keys {

// The answering half of one direction's exchange: the peer's OFFERs that wait, in order, the root
// of the newest epoch that was answered, and the bound on the work. Owned by LinkRatchet; one
// thread.
class OfferAnswerer {
 public:
  OfferAnswerer(Direction direction, const LinkParameters& parameters, EpochRoot root_0,
                TimePoint now);

  // Takes the OFFER that must follow the last. `current` is the highest epoch of which a record
  // has authenticated. No KEM work. wire::kBadOffer, kOfferOutOfOrder, kOfferBeyondWindow: final.
  Result<void> handle_offer(Bytes body, std::uint64_t current);

  // Whether an OFFER waits and the bound lets us answer it. `received_share`: work_bound.h.
  bool can_answer(std::uint64_t received_share, TimePoint now);
  // Answers the oldest waiting OFFER; can_answer() must have said yes. kOfferBadKey is final.
  Result<EpochSecret> answer(const PskLink& psk, Entropy& entropy, AckBody& body);

  // The link is over: the root goes, and what waits.
  void end();

  std::uint64_t newest_answered() const { return answered_; }
  std::size_t waiting() const { return waiting_.size(); }
  // When time alone lets the oldest waiting OFFER be answered, if the bound holds it back.
  std::optional<TimePoint> next_credit() const;

 private:
  const Direction direction_;
  const Carrier carrier_;
  const crypto::AeadKind aead_;
  const std::uint64_t window_;
  std::uint64_t answered_ = 0;  // the epoch of root_
  EpochRoot root_;
  std::deque<wire::Offer> waiting_;
  WorkBound work_;
};

}  // namespace karst::keys
