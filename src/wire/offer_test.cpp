#include "wire/offer.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace karst::wire {
namespace {

std::array<std::uint8_t, kOfferBytes> numbered_body() {
  std::array<std::uint8_t, kOfferBytes> body{};
  body[7] = 5;
  Prng(1).fill(MutableBytes(body).subspan(8));
  return body;
}

TEST(Offer, its_fields_lie_where_the_protocol_says) {
  const auto body = numbered_body();
  const auto offer = parse_offer(body);
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(offer->epoch, 5u);
  EXPECT_TRUE(equal(offer->x25519, Bytes(body).subspan(8, 32)));
  EXPECT_TRUE(equal(offer->kem, Bytes(body).subspan(40)));
}

TEST(Offer, what_was_formatted_parses_to_the_same_offer) {
  const auto body = numbered_body();
  std::array<std::uint8_t, kOfferBytes> again{};
  format_offer(*parse_offer(body), again);
  EXPECT_EQ(again, body);
}

TEST(Offer, every_other_length_is_refused) {
  const ByteVector bytes(kOfferBytes + 1, 1);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const auto offer = parse_offer(Bytes(bytes).first(size));
    EXPECT_EQ(offer.ok(), size == kOfferBytes) << size;
    if (!offer.ok()) {
      EXPECT_TRUE(offer.error().is(kBadOffer));
    }
  }
}

TEST(Offer, epoch_zero_is_refused_and_the_largest_is_not) {
  auto body = numbered_body();
  body[7] = 0;
  EXPECT_FALSE(parse_offer(body).ok());
  for (int i = 0; i < 8; ++i) body[static_cast<std::size_t>(i)] = 0xff;
  ASSERT_TRUE(parse_offer(body).ok());
  EXPECT_EQ(parse_offer(body)->epoch, ~0ull);
}

}  // namespace
}  // namespace karst::wire
