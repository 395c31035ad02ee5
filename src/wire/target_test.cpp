#include "wire/target.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace karst::wire {
namespace {

std::optional<Target> read(Bytes bytes) {
  Reader in(bytes);
  Target target = read_target(in);
  if (!in.finished()) return std::nullopt;
  return target;
}

TEST(Target, has_one_form_for_each_kind_of_address) {
  struct Row {
    Target target;
    std::string_view bytes;
  };
  const Row rows[] = {
      {{*IpAddress::parse("192.0.2.1"), 443}, "01 c0000201 01bb"},
      {{*IpAddress::parse("2001:db8::1"), 1}, "04 20010db8000000000000000000000001 0001"},
      {{"a.b", 65535}, "03 03 612e62 ffff"},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(formatted(row.target), hex(row.bytes));
    EXPECT_EQ(formatted_size(row.target), hex(row.bytes).size());
    EXPECT_EQ(read(hex(row.bytes)), row.target) << row.bytes;
  }
}

TEST(Target, refuses_what_is_none) {
  for (const std::string_view bytes :
       {"", "01", "01 c0000201 0000", "01 c00002 01bb", "00 01bb", "02 c0000201 01bb",
        "05 c0000201 01bb", "03 00 01bb", "03 01 20 01bb", "03 01 7f 01bb", "03 01 00 01bb",
        "03 01 ff 01bb", "03 02 61 01bb", "04 20010db80000000000000000000001 0001"}) {
    EXPECT_FALSE(read(hex(bytes))) << bytes;
  }
}

TEST(Target, a_name_has_at_most_253_bytes) {
  for (const std::size_t length : {std::size_t{1}, kHostBytesMax - 1, kHostBytesMax}) {
    const Target target{std::string(length, 'x'), 1};
    EXPECT_EQ(read(formatted(target)), target) << length;
  }
  ByteVector long_name(1 + 1 + 254 + 2, 'x');
  long_name[0] = 3;
  long_name[1] = 254;
  EXPECT_FALSE(read(long_name));
  EXPECT_FALSE(is_target_name(std::string(254, 'x')));
  EXPECT_FALSE(is_target_name(""));
  EXPECT_FALSE(is_target_name("a b"));
}

}  // namespace
}  // namespace karst::wire
