#include <gtest/gtest.h>

#include "wire/credit.h"
#include "wire/datagram.h"
#include "wire/fin.h"
#include "wire/reset.h"
#include "wire/test_bytes.h"

namespace karst::wire {
namespace {

TEST(Fin, is_the_final_offset_up_to_its_bound) {
  EXPECT_EQ(formatted(Fin{0x0102}), hex("0000000000000102"));
  EXPECT_TRUE(takes_exactly(formatted(Fin{7}), parse_fin));
  EXPECT_EQ(parse_fin(hex("3fffffffffffffff"))->final, kOffsetMax - 1);
  EXPECT_EQ(parse_fin(hex("4000000000000000"))->final, kOffsetMax);
  EXPECT_FALSE(parse_fin(hex("4000000000000001")).ok());
}

TEST(Reset, only_the_nine_reasons_exist) {
  for (int reason = 0; reason < 256; ++reason) {
    const auto byte = static_cast<std::uint8_t>(reason);
    const auto reset = parse_reset(Bytes(&byte, 1));
    EXPECT_EQ(reset.ok(), reason <= 8) << reason;
    if (reset.ok()) {
      EXPECT_EQ(formatted(*reset), ByteVector{byte});
    }
  }
  EXPECT_TRUE(takes_exactly(hex("01"), parse_reset));
}

TEST(Credit, of_a_stream_never_takes_more_than_it_allows) {
  const StreamCredit credit{2, 0x0103};
  EXPECT_EQ(formatted(credit), hex("0000000000000002 0000000000000103"));
  EXPECT_EQ(*parse_stream_credit(formatted(credit)), credit);
  EXPECT_TRUE(takes_exactly(formatted(credit), parse_stream_credit));
  EXPECT_TRUE(parse_stream_credit(hex("0000000000000003 0000000000000003")).ok());
  EXPECT_FALSE(parse_stream_credit(hex("0000000000000004 0000000000000003")).ok());
  EXPECT_TRUE(parse_stream_credit(hex("0000000000000000 4000000000000000")).ok());
  EXPECT_FALSE(parse_stream_credit(hex("0000000000000000 4000000000000001")).ok());
}

TEST(Credit, of_the_link_is_a_window_up_to_its_bound) {
  EXPECT_EQ(formatted(LinkCredit{5}), hex("0000000000000005"));
  EXPECT_TRUE(takes_exactly(hex("4000000000000000"), parse_link_credit));
  EXPECT_FALSE(parse_link_credit(hex("4000000000000001")).ok());
}

TEST(Datagram, is_a_target_and_whatever_follows) {
  const ByteVector payload = hex("aabb");
  const Datagram datagram{{"a", 53}, payload};
  EXPECT_EQ(formatted(datagram), hex("03 01 61 0035 aabb"));
  const ByteVector bytes = formatted(datagram);
  const auto back = parse_datagram(bytes);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->peer, datagram.peer);
  EXPECT_EQ(to_vector(back->payload), payload);
  EXPECT_TRUE(parse_datagram(hex("03 01 61 0035")).ok());
  EXPECT_FALSE(parse_datagram(hex("03 01 61 00")).ok());
  EXPECT_FALSE(parse_datagram({}).ok());
}

}  // namespace
}  // namespace karst::wire
