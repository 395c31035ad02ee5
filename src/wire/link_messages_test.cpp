#include <gtest/gtest.h>

#include "wire/goaway.h"
#include "wire/ping.h"
#include "wire/report.h"
#include "wire/test_bytes.h"

namespace karst::wire {
namespace {

TEST(Ping, is_its_token) {
  EXPECT_EQ(formatted(Ping{0x0a0b}), hex("0000000000000a0b"));
  EXPECT_EQ(parse_ping(hex("0000000000000a0b"))->token, 0x0a0bu);
  EXPECT_TRUE(takes_exactly(hex("0000000000000a0b"), parse_ping));
}

TEST(GoAway, is_a_known_reason_and_a_stream) {
  const GoAway goaway{GoAwayReason::revoked, StreamId{258}};
  EXPECT_EQ(formatted(goaway), hex("03 00000102"));
  EXPECT_TRUE(takes_exactly(formatted(goaway), parse_goaway));
  for (int reason = 0; reason < 256; ++reason) {
    ByteVector bytes = hex("00 7fffffff");
    bytes[0] = static_cast<std::uint8_t>(reason);
    EXPECT_EQ(parse_goaway(bytes).ok(), reason >= 1 && reason <= 6) << reason;
  }
  EXPECT_FALSE(parse_goaway(hex("01 80000000")).ok());
}

Report report_of(std::string congestion_control, std::uint16_t first, std::uint16_t last) {
  Report report{std::move(congestion_control), {}};
  report.shares.front() = first;
  report.shares.back() = last;
  return report;
}

TEST(Report, is_a_name_and_nine_shares) {
  const Report report = report_of("bbr", 9'000, 1'000);
  EXPECT_EQ(formatted(report), hex("03 626272 2328 0000000000000000000000000000 03e8"));
  EXPECT_EQ(*parse_report(formatted(report)), report);
  EXPECT_TRUE(takes_exactly(formatted(report), parse_report));
  EXPECT_TRUE(parse_report(formatted(Report{})).ok());
}

TEST(Report, refuses_a_sum_above_the_whole_and_a_bad_name) {
  ByteVector bytes = formatted(report_of("bbr", 9'000, 1'000));
  bytes.back() += 1;
  EXPECT_FALSE(parse_report(bytes).ok());
  bytes.back() -= 1;
  bytes[1] = ' ';
  EXPECT_FALSE(parse_report(bytes).ok());
  EXPECT_TRUE(parse_report(formatted(report_of(std::string(15, 'x'), 0, 0))).ok());
  ByteVector long_name(1 + 16 + 18, 0);
  long_name[0] = 16;
  std::fill(long_name.begin() + 1, long_name.begin() + 17, 'x');
  EXPECT_FALSE(parse_report(long_name).ok());
}

}  // namespace
}  // namespace karst::wire
