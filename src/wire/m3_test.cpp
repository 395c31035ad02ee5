#include "wire/m3.h"

#include <gtest/gtest.h>

#include "wire/test_record.h"
#include "wire/test_values.h"

namespace karst::wire {
namespace {

const InviteId kInvite = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

TEST(M3, each_way_to_name_a_psk_reads_as_it_was_written) {
  for (const PskSelector& psk :
       {PskSelector(PskGeneration::zero), PskSelector(PskGeneration::one), PskSelector(kInvite)}) {
    const ByteVector bytes = format_m3(sample_m3(psk));
    const auto parsed = parse_m3(bytes);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->psk, psk);
    EXPECT_EQ(parsed->identity, sample_m3(psk).identity);
    EXPECT_TRUE(same(parsed->signature, sample_m3(psk).signature));
    EXPECT_EQ(format_m3(*parsed), bytes);
  }
}

TEST(M3, names_exactly_one_psk) {
  RawRecord both{format_m3(sample_m3(PskGeneration::one))};
  both.insert({1, 3, to_vector(kInvite)});
  EXPECT_TRUE(parse_m3(both.bytes()).error().is(kFieldUnexpected));
  RawRecord none{format_m3(sample_m3(PskGeneration::one))};
  none.erase(2);
  EXPECT_TRUE(parse_m3(none.bytes()).error().is(kFieldMissing));
}

TEST(M3, knows_no_generation_but_0_and_1) {
  for (int generation = 0; generation < 256; ++generation) {
    RawRecord raw{format_m3(sample_m3(PskGeneration::one))};
    raw.at(2).value = {static_cast<std::uint8_t>(generation)};
    EXPECT_EQ(parse_m3(raw.bytes()).ok(), generation <= 1) << generation;
  }
}

TEST(M3, the_largest_is_8192_bytes) {
  M3 m3 = sample_m3(kInvite);
  m3.padding = 0;
  const std::size_t rest = format_m3(m3).size();
  for (std::size_t size : {8'191u, 8'192u, 8'193u}) {
    m3.padding = size - rest;
    EXPECT_EQ(parse_m3(format_m3(m3)).ok(), size <= 8'192) << size;
  }
}

TEST(M3, needs_every_field) {
  for (int id : {1, 3, 254, 255}) {
    RawRecord raw{format_m3(sample_m3(kInvite))};
    raw.erase(id);
    EXPECT_TRUE(parse_m3(raw.bytes()).error().is(kFieldMissing)) << id;
  }
}

}  // namespace
}  // namespace karst::wire
