#include "stream/websocket/utf8.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace karst::stream::websocket {
namespace {

// Encodes by the definition (RFC 3629 section 3), also what must be refused.
ByteVector encode(std::uint32_t code, int bytes) {
  static constexpr std::uint8_t kLead[] = {0, 0, 0xc0, 0xe0, 0xf0};
  if (bytes == 1) return {static_cast<std::uint8_t>(code)};
  ByteVector out(static_cast<std::size_t>(bytes));
  for (int i = bytes - 1; i > 0; --i, code >>= 6) {
    out[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(0x80 | (code & 0x3f));
  }
  out[0] = static_cast<std::uint8_t>(kLead[bytes] | code);
  return out;
}

TEST(Utf8, every_code_point_is_valid_in_its_shortest_form_only) {
  for (std::uint32_t code = 0; code < 0x200000; ++code) {
    const int shortest = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    const bool scalar = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    for (int bytes = shortest; bytes <= 4; ++bytes) {
      ASSERT_EQ(valid_utf8(encode(code, bytes)), scalar && bytes == shortest)
          << std::hex << code << " in " << bytes;
    }
  }
}

TEST(Utf8, a_character_may_stand_anywhere_but_not_be_cut) {
  const ByteVector euro = encode(0x20ac, 3);
  for (std::size_t before = 0; before < 20; ++before) {
    ByteVector text(before, 'a');
    text.insert(text.end(), euro.begin(), euro.end());
    EXPECT_TRUE(valid_utf8(text));
    for (std::size_t cut = 1; cut <= 2; ++cut) {
      EXPECT_FALSE(valid_utf8(Bytes(text).first(text.size() - cut)));
      ByteVector broken(text.begin(), text.end() - static_cast<std::ptrdiff_t>(cut));
      broken.insert(broken.end(), 20, 'b');
      EXPECT_FALSE(valid_utf8(broken));
    }
  }
}

TEST(Utf8, bytes_that_start_nothing_are_invalid_everywhere) {
  for (const std::uint8_t bad : ByteVector{0x80, 0xbf, 0xc0, 0xc1, 0xf5, 0xff}) {
    for (std::size_t at = 0; at < 20; ++at) {
      ByteVector text(20, 'a');
      text[at] = bad;
      EXPECT_FALSE(valid_utf8(text)) << int{bad} << " at " << at;
    }
  }
}

}  // namespace
}  // namespace karst::stream::websocket
