#include "wire/offer.h"

#include "base/reader.h"
#include "base/writer.h"

namespace karst::wire {

Result<Offer> parse_offer(Bytes body) {
  Reader reader(body);
  Offer offer;
  offer.epoch = reader.u64();
  reader.copy(offer.x25519);
  reader.copy(offer.kem);
  if (!reader.finished() || offer.epoch == 0) return kBadOffer;
  return offer;
}

void format_offer(const Offer& offer, std::span<std::uint8_t, kOfferBytes> out) {
  Writer writer(out);
  writer.u64(offer.epoch);
  writer.bytes(offer.x25519);
  writer.bytes(offer.kem);
}

}  // namespace karst::wire
