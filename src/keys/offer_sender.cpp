#include "keys/offer_sender.h"

#include <utility>

namespace karst::keys {

OfferSender::OfferSender(Direction direction, const LinkParameters& parameters, EpochRoot root_0)
    : direction_(direction),
      carrier_(parameters.carrier),
      aead_(parameters.aead),
      root_(std::move(root_0)),
      ack_deadline_(parameters.carrier) {}

void OfferSender::make_offer(Entropy& entropy, TimePoint now, OfferBody& body) {
  in_flight_.push_back({OfferSecrets::make(direction_, newest_offered() + 1, entropy, body), now,
                        ack_deadline_.freeze(now)});
}

Result<OfferSender::Prepared> OfferSender::handle_ack(Bytes body, const PskLink& psk,
                                                      TimePoint now) {
  TRY_ASSIGN(const wire::Ack ack, wire::parse_ack(body));
  if (in_flight_.empty()) return kAckUnsolicited;
  InFlight& oldest = in_flight_.front();
  if (ack.epoch != oldest.secrets.epoch()) return kAckOutOfOrder;
  TRY_ASSIGN(root_, oldest.secrets.finish(root_, psk, ack, body));
  const Duration round_trip = now - oldest.sealed;
  ack_deadline_.sample(round_trip);
  in_flight_.pop_front();
  ++acknowledged_;
  return Prepared{derive_epoch_secret(root_, carrier_, aead_), round_trip};
}

void OfferSender::end() {
  in_flight_.clear();
  root_.wipe();
}

std::optional<TimePoint> OfferSender::deadline() const {
  if (in_flight_.empty()) return std::nullopt;
  return in_flight_.front().deadline;
}

}  // namespace karst::keys
