#include "crypto/hex.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace karst::crypto {
namespace {

TEST(Hex, every_byte_comes_back_and_reads_as_printf_writes_it) {
  for (int value = 0; value < 256; ++value) {
    const std::uint8_t byte = static_cast<std::uint8_t>(value);
    std::uint8_t text[2];
    hex_encode({&byte, 1}, text);
    char expected[3];
    std::snprintf(expected, sizeof expected, "%02x", value);
    EXPECT_EQ(as_text(text), expected);
    std::uint8_t decoded = 0;
    EXPECT_TRUE(hex_decode(expected, {&decoded, 1}).ok());
    EXPECT_EQ(decoded, byte);
  }
}

TEST(Hex, no_other_character_is_accepted_in_either_place) {
  for (int value = 0; value < 256; ++value) {
    const char c = static_cast<char>(value);
    const bool good = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    std::uint8_t byte = 0xaa;
    EXPECT_EQ(hex_decode(std::string{c, '0'}, {&byte, 1}).ok(), good) << value;
    EXPECT_EQ(hex_decode(std::string{'0', c}, {&byte, 1}).ok(), good) << value;
    if (!good) {
      EXPECT_EQ(byte, 0);
    }
  }
}

TEST(Hex, the_length_must_fit) {
  std::uint8_t bytes[2];
  for (std::string_view text : {"", "000", "00000"}) EXPECT_FALSE(hex_decode(text, bytes).ok());
  EXPECT_TRUE(hex_decode("00ff", bytes).ok());
}

}  // namespace
}  // namespace karst::crypto
