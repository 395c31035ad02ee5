#include "base/reader.h"

#include <gtest/gtest.h>

#include <array>

#include "base/writer.h"

namespace karst {
namespace {

TEST(Reader, reads_back_what_writer_wrote_at_every_width_and_border) {
  for (std::uint64_t value : {0ull, 1ull, 0x7full, 0x80ull, 0xffull, 0x100ull, 0xffffull,
                              0xffffffull, 0x80000000ull, 0xffffffffull, ~0ull}) {
    std::array<std::uint8_t, 18> space{};
    Writer writer(space);
    writer.u8(static_cast<std::uint8_t>(value));
    writer.u16(static_cast<std::uint16_t>(value));
    writer.u24(static_cast<std::uint32_t>(value & 0xffffff));
    writer.u32(static_cast<std::uint32_t>(value));
    writer.u64(value);
    EXPECT_EQ(writer.room(), 0u);
    Reader reader(space);
    EXPECT_EQ(reader.u8(), static_cast<std::uint8_t>(value));
    EXPECT_EQ(reader.u16(), static_cast<std::uint16_t>(value));
    EXPECT_EQ(reader.u24(), value & 0xffffff);
    EXPECT_EQ(reader.u32(), static_cast<std::uint32_t>(value));
    EXPECT_EQ(reader.u64(), value);
    EXPECT_TRUE(reader.finished());
  }
}

TEST(Reader, writes_the_most_significant_byte_first) {
  std::array<std::uint8_t, 4> space{};
  Writer(space).u32(0x01020304);
  EXPECT_EQ(space, (std::array<std::uint8_t, 4>{1, 2, 3, 4}));
}

TEST(Reader, a_read_past_the_end_fails_for_good_and_gives_zeros) {
  const std::array<std::uint8_t, 3> bytes{1, 2, 3};
  Reader reader(bytes);
  EXPECT_EQ(reader.u32(), 0u);
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.u8(), 0u) << "bytes behind a failed read were given out";
  EXPECT_FALSE(reader.finished());
}

TEST(Reader, bytes_left_over_are_not_finished) {
  const std::array<std::uint8_t, 2> bytes{1, 2};
  Reader reader(bytes);
  reader.u8();
  EXPECT_TRUE(reader.ok());
  EXPECT_FALSE(reader.finished());
}

}  // namespace
}  // namespace karst
