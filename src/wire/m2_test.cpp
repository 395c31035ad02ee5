#include "wire/m2.h"

#include <gtest/gtest.h>

#include "wire/handshake_codec.h"
#include "wire/test_record.h"
#include "wire/test_values.h"

namespace karst::wire {
namespace {

TEST(M2, the_clear_part_reads_as_it_was_written) {
  const auto parsed = parse_m2_clear(format_m2_clear(sample_m2_clear()));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, sample_m2_clear());
  EXPECT_EQ(format_m2_clear(*parsed).size(), 3u + 6 + 32 + 6 + 1568);
}

TEST(M2, the_sealed_part_reads_as_it_was_written) {
  for (bool datagram : {true, false}) {
    M2Sealed m2 = sample_m2_sealed();
    if (!datagram) m2.receiver.reset();
    const ByteVector bytes = format_m2_sealed(m2);
    const auto parsed = parse_m2_sealed(bytes);
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(parsed->identity, m2.identity);
    EXPECT_EQ(parsed->receiver, m2.receiver);
    EXPECT_EQ(parsed->time, m2.time);
    EXPECT_EQ(parsed->rekey_window, m2.rekey_window);
    EXPECT_EQ(parsed->policy, m2.policy);
    EXPECT_EQ(parsed->capabilities, m2.capabilities);
    EXPECT_EQ(parsed->aead, m2.aead);
    EXPECT_EQ(parsed->limits, m2.limits);
    EXPECT_EQ(parsed->padding, m2.padding);
    EXPECT_TRUE(same(parsed->signature, m2.signature));
    EXPECT_EQ(format_m2_sealed(*parsed), bytes);
  }
}

TEST(M2, the_signer_signs_all_but_the_last_3379_bytes) {
  ByteVector bytes = format_m2_sealed(sample_m2_sealed());
  EXPECT_EQ(unsigned_part(bytes).size(), bytes.size() - 3'379);
  const ByteVector before = to_vector(unsigned_part(bytes));
  crypto::HybridSignature other{};
  other.ed25519.fill(0x11);
  other.ml_dsa.fill(0x22);
  place_signature(bytes, other);
  EXPECT_TRUE(equal(unsigned_part(bytes), before));
  EXPECT_TRUE(same(parse_m2_sealed(bytes)->signature, other));
}

TEST(M2, the_largest_sealed_part_is_10240_bytes) {
  M2Sealed m2 = sample_m2_sealed();
  m2.padding = 0;
  const std::size_t rest = format_m2_sealed(m2).size();
  for (std::size_t size : {10'239u, 10'240u, 10'241u}) {
    m2.padding = size - rest;
    EXPECT_EQ(parse_m2_sealed(format_m2_sealed(m2)).ok(), size <= 10'240) << size;
  }
}

TEST(M2, each_wrong_field_has_its_name) {
  struct Case {
    const ErrorKind* error;
    void (*spoil)(RawRecord&);
  };
  const Case cases[] = {
      {&kFieldValue, [](RawRecord& r) { r.at(7).value = {0}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(7).value = {3}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(6).value = {0, 0, 1, 0}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(8).value = {0, 0, 0, 0, 0, 0, 0, 9}; }},  // 0 streams
      {&kFieldSize, [](RawRecord& r) { r.at(2).value.push_back(0); }},
      {&kFieldSize, [](RawRecord& r) { r.at(255).value.pop_back(); }},
      {&kFieldMissing, [](RawRecord& r) { r.erase(255); }},
      {&kRecordKind, [](RawRecord& r) { r.kind = 2; }},
  };
  for (const Case& c : cases) {
    RawRecord raw{format_m2_sealed(sample_m2_sealed())};
    c.spoil(raw);
    const auto parsed = parse_m2_sealed(raw.bytes());
    ASSERT_FALSE(parsed.ok()) << (&c - cases);
    EXPECT_TRUE(parsed.error().is(*c.error)) << (&c - cases) << " " << parsed.error().kind().name;
  }
  for (int id : {1, 3, 4, 5, 6, 7, 8, 254, 255}) {
    RawRecord raw{format_m2_sealed(sample_m2_sealed())};
    raw.erase(id);
    EXPECT_FALSE(parse_m2_sealed(raw.bytes()).ok()) << id;
  }
  for (int id : {1, 2}) {
    RawRecord raw{format_m2_clear(sample_m2_clear())};
    raw.erase(id);
    EXPECT_FALSE(parse_m2_clear(raw.bytes()).ok()) << id;
  }
}

}  // namespace
}  // namespace karst::wire
