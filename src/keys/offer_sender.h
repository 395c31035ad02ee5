#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "base/bytes.h"
#include "base/entropy.h"
#include "base/result.h"
#include "base/time.h"
#include "keys/ack_deadline.h"
#include "keys/epoch_exchange.h"
#include "keys/epoch_secret.h"
#include "keys/link_secrets.h"

namespace karst::keys {

// The offering half of one direction's exchange: OFFERs in flight, in order, and the root of the
// newest epoch that was acknowledged. It decides neither when to offer nor how many
// (depth_controller.h). An OFFER in flight takes about 13.5 KB, nearly all of it the expanded
// ML-KEM key: 6.9 MB at a window of 512. Owned by LinkRatchet; one thread.
class OfferSender {
 public:
  OfferSender(Direction direction, const LinkParameters& parameters, EpochRoot root_0);

  // Makes OFFER(newest_offered() + 1), which is sealed at `now`.
  void make_offer(Entropy& entropy, TimePoint now, OfferBody& body);

  struct Prepared {
    EpochSecret secret;
    Duration round_trip{};
  };
  // Takes the ACK of the oldest OFFER in flight. wire::kBadAck, kAckUnsolicited, kAckOutOfOrder,
  // kAckBadKey: each is final.
  Result<Prepared> handle_ack(Bytes body, const PskLink& psk, TimePoint now);

  // The link is over: the secrets of OFFERs in flight go, and the root.
  void end();

  std::uint64_t newest_offered() const { return acknowledged_ + in_flight_.size(); }
  std::size_t in_flight() const { return in_flight_.size(); }
  // When the oldest OFFER in flight must have been acknowledged.
  std::optional<TimePoint> deadline() const;

 private:
  struct InFlight {
    OfferSecrets secrets;
    TimePoint sealed;
    TimePoint deadline;
  };

  const Direction direction_;
  const Carrier carrier_;
  const crypto::AeadKind aead_;
  std::uint64_t acknowledged_ = 0;  // the epoch of root_
  EpochRoot root_;
  std::deque<InFlight> in_flight_;
  AckDeadline ack_deadline_;
};

}  // namespace karst::keys
