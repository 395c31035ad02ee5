#include "wire/m1.h"

#include <gtest/gtest.h>

#include "wire/test_record.h"
#include "wire/test_values.h"
#include "wire/tlv.h"

namespace karst::wire {
namespace {

TEST(M1, both_carriers_read_as_they_were_written) {
  for (const M1& m1 : {sample_stream_m1(), sample_datagram_m1()}) {
    const auto parsed = parse_m1(format_m1(m1));
    ASSERT_TRUE(parsed.ok());
    EXPECT_EQ(*parsed, m1);
  }
}

TEST(M1, has_the_layout_of_the_protocol_page) {
  M1 m1 = sample_datagram_m1();
  m1.padding = 0;
  const ByteVector bytes = format_m1(m1);
  const RawRecord raw{bytes};
  const std::pair<int, std::size_t> layout[] = {{1, 2},  {2, 32}, {3, 1},    {4, 8},
                                                {5, 3},  {6, 32}, {7, 1568}, {8, 2},
                                                {9, 20}, {10, 4}, {254, 0}};
  ASSERT_EQ(raw.fields.size(), std::size(layout));
  for (std::size_t i = 0; i < raw.fields.size(); ++i) {
    EXPECT_EQ(raw.fields[i].id, layout[i].first);
    EXPECT_EQ(raw.fields[i].value.size(), layout[i].second);
    EXPECT_EQ(raw.fields[i].flags, layout[i].first == 254 ? 0 : 1);
  }
  EXPECT_EQ(Bytes(bytes)[0], 1);
  EXPECT_EQ(Bytes(bytes)[1], 1);
  EXPECT_EQ(RawRecord{bytes}.at(10).value, (ByteVector{0, 0, 0, 0b1101}));
  EXPECT_EQ(RawRecord{bytes}.at(5).value, (ByteVector{0xab, 0xcd, 0xef}));
}

TEST(M1, the_largest_is_4096_bytes) {
  M1 m1 = sample_stream_m1();
  m1.padding = 0;
  const std::size_t rest = format_m1(m1).size();
  for (std::size_t size : {4'095u, 4'096u, 4'097u}) {
    m1.padding = size - rest;
    EXPECT_EQ(parse_m1(format_m1(m1)).ok(), size <= 4'096) << size;
  }
}

TEST(M1, each_wrong_field_has_its_name) {
  struct Case {
    const ErrorKind* error;
    void (*spoil)(RawRecord&);
  };
  const Case stream[] = {
      {&kSuiteUnknown, [](RawRecord& r) { r.at(1).value = {0, 2}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(3).value = {0}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(3).value = {3}; }},
      {&kFieldMissing, [](RawRecord& r) { r.at(3).value = {2}; }},  // datagram without a time
      {&kFieldUnexpected, [](RawRecord& r) { r.insert({1, 4, ByteVector(8)}); }},
      {&kFieldUnexpected, [](RawRecord& r) { r.insert({1, 5, ByteVector(3)}); }},
      {&kFieldValue, [](RawRecord& r) { r.at(10).value = {0, 0, 0, 0x10}; }},  // reserved bits
      {&kFieldValue, [](RawRecord& r) { r.at(10).value = {0x80, 0, 0, 0}; }},
      {&kFieldSize, [](RawRecord& r) { r.at(7).value.pop_back(); }},
      {&kFieldSize, [](RawRecord& r) { r.at(7).value.push_back(0); }},
  };
  for (const Case& c : stream) {
    RawRecord raw{format_m1(sample_stream_m1())};
    c.spoil(raw);
    const auto parsed = parse_m1(raw.bytes());
    ASSERT_FALSE(parsed.ok()) << (&c - stream);
    EXPECT_TRUE(parsed.error().is(*c.error)) << (&c - stream) << " " << parsed.error().kind().name;
  }
  for (int id : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 254}) {
    RawRecord raw{format_m1(sample_datagram_m1())};
    raw.erase(id);
    const auto parsed = parse_m1(raw.bytes());
    ASSERT_FALSE(parsed.ok()) << id;
  }
  RawRecord raw{format_m1(sample_datagram_m1())};
  raw.at(4).value = {0x80, 0, 0, 0, 0, 0, 0, 0};  // past 2^63 - 1
  EXPECT_TRUE(parse_m1(raw.bytes()).error().is(kFieldValue));
}

}  // namespace
}  // namespace karst::wire
