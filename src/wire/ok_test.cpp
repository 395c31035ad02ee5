#include "wire/ok.h"

#include <gtest/gtest.h>

#include "wire/test_record.h"
#include "wire/test_values.h"

namespace karst::wire {
namespace {

TEST(Ok, reads_as_it_was_written_with_and_without_addresses) {
  for (int addresses = 0; addresses < 4; ++addresses) {
    Ok ok = sample_ok();
    if (!(addresses & 1)) ok.ipv4.reset();
    if (!(addresses & 2)) ok.ipv6.reset();
    const auto parsed = parse_ok(format_ok(ok));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, ok);
  }
}

TEST(Ok, prefix_lengths_end_at_the_width_of_the_address) {
  for (int prefix = 0; prefix < 256; ++prefix) {
    RawRecord raw{format_ok(sample_ok())};
    raw.at(5).value.back() = static_cast<std::uint8_t>(prefix);
    EXPECT_EQ(parse_ok(raw.bytes()).ok(), prefix <= 32) << prefix;
    raw = RawRecord{format_ok(sample_ok())};
    raw.at(6).value.back() = static_cast<std::uint8_t>(prefix);
    EXPECT_EQ(parse_ok(raw.bytes()).ok(), prefix <= 128) << prefix;
  }
}

TEST(Ok, the_largest_is_4096_bytes) {
  Ok ok = sample_ok();
  ok.padding = 0;
  const std::size_t rest = format_ok(ok).size();
  for (std::size_t size : {4'095u, 4'096u, 4'097u}) {
    ok.padding = size - rest;
    EXPECT_EQ(parse_ok(format_ok(ok)).ok(), size <= 4'096) << size;
  }
}

TEST(Ok, needs_every_field_but_the_addresses) {
  for (int id : {1, 2, 3, 4, 5, 6, 7, 254}) {
    RawRecord raw{format_ok(sample_ok())};
    raw.erase(id);
    EXPECT_EQ(parse_ok(raw.bytes()).ok(), id == 5 || id == 6) << id;
  }
}

}  // namespace
}  // namespace karst::wire
