#include "wire/open.h"

#include <gtest/gtest.h>

#include "wire/open_result.h"
#include "wire/test_bytes.h"

namespace karst::wire {
namespace {

TEST(Open, is_kind_flags_and_for_tcp_a_target) {
  const Open tcp{Target{"a", 80}};
  EXPECT_EQ(formatted(tcp), hex("01 00 03 01 61 0050"));
  EXPECT_EQ(*parse_open(formatted(tcp)), tcp);
  EXPECT_TRUE(takes_exactly(formatted(tcp), parse_open));
  const Open udp{};
  EXPECT_EQ(formatted(udp), hex("02 00"));
  EXPECT_EQ(parse_open(formatted(udp))->kind(), StreamKind::udp);
  EXPECT_TRUE(takes_exactly(formatted(udp), parse_open));
}

TEST(Open, refuses_other_kinds_and_flags) {
  for (const std::string_view bytes :
       {"00 00", "03 00", "02 01", "02 80", "01 01 03 01 61 0050", "02 00 03 01 61 0050"}) {
    EXPECT_FALSE(parse_open(hex(bytes)).ok()) << bytes;
  }
}

TEST(OpenResult, has_an_address_only_with_ok) {
  struct Row {
    OpenResult result;
    std::string_view bytes;
  };
  const Row rows[] = {
      {{OpenCode::ok, std::nullopt}, "00 00"},
      {{OpenCode::ok, Endpoint{*IpAddress::parse("192.0.2.1"), 0}}, "00 01 c0000201 0000"},
      {{OpenCode::ok, Endpoint{*IpAddress::parse("2001:db8::1"), 9}},
       "00 04 20010db8000000000000000000000001 0009"},
      {{OpenCode::name_not_found, std::nullopt}, "06"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(formatted(row.result), hex(row.bytes));
    EXPECT_EQ(formatted_size(row.result), hex(row.bytes).size());
    EXPECT_EQ(*parse_open_result(hex(row.bytes)), row.result);
    EXPECT_TRUE(takes_exactly(hex(row.bytes), parse_open_result)) << row.bytes;
  }
}

TEST(OpenResult, only_the_nine_codes_exist) {
  for (int code = 1; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    EXPECT_EQ(parse_open_result(Bytes(&byte, 1)).ok(), code <= 8) << code;
  }
  EXPECT_FALSE(parse_open_result(hex("00 02 c0000201 0000")).ok());
  EXPECT_FALSE(parse_open_result(hex("00 03 01 61 0050")).ok());
}

}  // namespace
}  // namespace karst::wire
