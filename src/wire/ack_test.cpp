#include "wire/ack.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace karst::wire {
namespace {

std::array<std::uint8_t, kAckBytes> numbered_body() {
  std::array<std::uint8_t, kAckBytes> body{};
  body[7] = 5;
  Prng(1).fill(MutableBytes(body).subspan(8));
  return body;
}

TEST(Ack, its_fields_lie_where_the_protocol_says) {
  const auto body = numbered_body();
  const auto ack = parse_ack(body);
  ASSERT_TRUE(ack.ok());
  EXPECT_EQ(ack->epoch, 5u);
  EXPECT_TRUE(equal(ack->x25519, Bytes(body).subspan(8, 32)));
  EXPECT_TRUE(equal(ack->kem, Bytes(body).subspan(40)));
}

TEST(Ack, what_was_formatted_parses_to_the_same_ack) {
  const auto body = numbered_body();
  std::array<std::uint8_t, kAckBytes> again{};
  format_ack(*parse_ack(body), again);
  EXPECT_EQ(again, body);
}

TEST(Ack, every_other_length_is_refused) {
  const ByteVector bytes(kAckBytes + 1, 1);
  for (std::size_t size = 0; size <= bytes.size(); ++size) {
    const auto ack = parse_ack(Bytes(bytes).first(size));
    EXPECT_EQ(ack.ok(), size == kAckBytes) << size;
    if (!ack.ok()) {
      EXPECT_TRUE(ack.error().is(kBadAck));
    }
  }
}

TEST(Ack, epoch_zero_is_refused_and_the_largest_is_not) {
  auto body = numbered_body();
  body[7] = 0;
  EXPECT_FALSE(parse_ack(body).ok());
  for (int i = 0; i < 8; ++i) body[static_cast<std::size_t>(i)] = 0xff;
  ASSERT_TRUE(parse_ack(body).ok());
  EXPECT_EQ(parse_ack(body)->epoch, ~0ull);
}

}  // namespace
}  // namespace karst::wire
