#include "base/check.h"
#include "wire/offer.h"

// What parses formats back to the same bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace karst;
  const Bytes input(data, size);
  const auto offer = wire::parse_offer(input);
  if (!offer.ok()) {
    CHECK(offer.error().is(wire::kBadOffer));
    return 0;
  }
  std::array<std::uint8_t, wire::kOfferBytes> again{};
  wire::format_offer(*offer, again);
  CHECK(equal(again, input));
  return 0;
}
