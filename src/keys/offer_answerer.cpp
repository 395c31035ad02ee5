#include "keys/offer_answerer.h"

#include <utility>

#include "base/check.h"

namespace karst::keys {

OfferAnswerer::OfferAnswerer(Direction direction, const LinkParameters& parameters,
                             EpochRoot root_0, TimePoint now)
    : direction_(direction),
      carrier_(parameters.carrier),
      aead_(parameters.aead),
      window_(parameters.rekey_window),
      root_(std::move(root_0)),
      work_(parameters.policy, parameters.rekey_window, now) {}

Result<void> OfferAnswerer::handle_offer(Bytes body, std::uint64_t current) {
  TRY_ASSIGN(const wire::Offer offer, wire::parse_offer(body));
  if (offer.epoch != answered_ + waiting_.size() + 1) return kOfferOutOfOrder;
  if (offer.epoch > current + window_) return kOfferBeyondWindow;
  waiting_.push_back(offer);
  return {};
}

bool OfferAnswerer::can_answer(std::uint64_t received_share, TimePoint now) {
  if (waiting_.empty()) return false;
  work_.earn(received_share, now);
  return work_.allows();
}

Result<EpochSecret> OfferAnswerer::answer(const PskLink& psk, Entropy& entropy, AckBody& body) {
  CHECK(!waiting_.empty());
  work_.spend();
  TRY_ASSIGN(root_, answer_offer(direction_, root_, psk, waiting_.front(), entropy, body));
  waiting_.pop_front();
  ++answered_;
  return derive_epoch_secret(root_, carrier_, aead_);
}

void OfferAnswerer::end() {
  waiting_.clear();
  root_.wipe();
}

std::optional<TimePoint> OfferAnswerer::next_credit() const {
  if (waiting_.empty() || work_.allows()) return std::nullopt;
  return work_.next_credit();
}

}  // namespace karst::keys
