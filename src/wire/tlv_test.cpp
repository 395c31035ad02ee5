#include "wire/tlv.h"

#include <gtest/gtest.h>

#include "wire/test_record.h"

namespace karst::wire {
namespace {

constexpr std::size_t kMax = 100;

// A record whose parser knows the fields 1 (two bytes, required), 5 (one byte, optional) and
// padding.
struct Parsed {
  std::uint16_t one = 0;
  std::optional<std::uint8_t> five;
  std::size_t padding = 0;
};

Result<Parsed> parse(Bytes bytes) {
  RecordReader record(bytes, RecordKind::m1, kMax);
  Parsed parsed;
  parsed.one = Reader(record.required(1, 2)).u16();
  if (const auto value = record.optional(5, 1)) parsed.five = (*value)[0];
  parsed.padding = record.padding();
  TRY(record.finish());
  return parsed;
}

ByteVector record(std::size_t padding = 0) {
  RecordWriter writer(RecordKind::m1);
  writer.u16(1, 0x1234);
  writer.u8(5, 7);
  writer.padding(padding);
  return std::move(writer).finish();
}

const ErrorKind* error_of(Bytes bytes) {
  const auto parsed = parse(bytes);
  return parsed ? nullptr : &parsed.error().kind();
}

TEST(Tlv, a_record_reads_as_it_was_written) {
  const auto bytes = record(3);
  EXPECT_EQ(bytes, (ByteVector{1, 1,   3, 1, 1, 0, 0, 0, 2, 0x12, 0x34, 1, 5, 0, 0, 0, 1, 7,  //
                               0, 254, 0, 0, 0, 3, 0, 0, 0}));
  const auto parsed = parse(bytes);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->one, 0x1234);
  EXPECT_EQ(parsed->five, 7);
  EXPECT_EQ(parsed->padding, 3u);
}

TEST(Tlv, every_shorter_and_one_longer_record_is_refused) {
  ByteVector bytes = record(3);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(error_of(Bytes(bytes).first(size)), &kRecordTruncated) << size;
  }
  bytes.push_back(0);
  EXPECT_EQ(error_of(bytes), &kRecordTrailing);
}

TEST(Tlv, the_size_limit_is_the_largest_record) {
  const std::size_t rest = record().size();
  EXPECT_EQ(error_of(record(kMax - rest - 1)), nullptr);
  EXPECT_EQ(error_of(record(kMax - rest)), nullptr);
  EXPECT_EQ(error_of(record(kMax - rest + 1)), &kRecordTooLong);
}

TEST(Tlv, sixty_four_fields_are_read_and_sixty_five_are_refused) {
  for (std::size_t count : {63u, 64u, 65u}) {
    RawRecord raw{record()};
    for (std::uint8_t id = 10; raw.fields.size() < count; ++id) raw.insert({0, id, {}});
    RecordReader reader(raw.bytes(), RecordKind::m1, 1000);
    EXPECT_EQ(reader.ok(), count <= kRecordFieldsMax) << count;
    EXPECT_EQ(measure_record(raw.bytes()).ok(), count <= kRecordFieldsMax) << count;
  }
}

TEST(Tlv, each_way_to_be_malformed_has_its_name) {
  struct Case {
    const ErrorKind* error;
    void (*spoil)(RawRecord&);
  };
  const Case cases[] = {
      {&kRecordSchema, [](RawRecord& r) { r.schema = 2; }},
      {&kRecordKind, [](RawRecord& r) { r.kind = 2; }},
      {&kFieldFlags, [](RawRecord& r) { r.at(1).flags = 3; }},     // reserved bit
      {&kFieldFlags, [](RawRecord& r) { r.at(1).flags = 0x81; }},  // reserved bit
      {&kFieldFlags, [](RawRecord& r) { r.insert({2, 9, {}}); }},  // reserved bit, unknown field
      {&kFieldFlags, [](RawRecord& r) { r.at(1).flags = 0; }},     // defined as critical
      {&kFieldFlags, [](RawRecord& r) { r.at(5).flags = 0; }},
      {&kFieldFlags, [](RawRecord& r) { r.at(254).flags = 1; }},  // defined as not critical
      {&kFieldOrder, [](RawRecord& r) { std::swap(r.fields[0], r.fields[1]); }},
      {&kFieldOrder, [](RawRecord& r) { r.fields.insert(r.fields.begin(), r.fields[0]); }},
      {&kFieldOrder, [](RawRecord& r) { r.fields.push_back({0, 9, {}}); }},
      {&kFieldUnknown, [](RawRecord& r) { r.insert({1, 0, {}}); }},
      {&kFieldUnknown, [](RawRecord& r) { r.insert({1, 3, {1, 2}}); }},
      {&kFieldUnknown, [](RawRecord& r) { r.insert({1, 9, {}}); }},
      {&kFieldUnknown, [](RawRecord& r) { r.insert({1, 255, {}}); }},
      {&kFieldMissing, [](RawRecord& r) { r.erase(1); }},
      {&kFieldMissing, [](RawRecord& r) { r.erase(254); }},
      {&kFieldMissing, [](RawRecord& r) { r.fields.clear(); }},
      {&kFieldSize, [](RawRecord& r) { r.at(1).value = {1}; }},
      {&kFieldSize, [](RawRecord& r) { r.at(1).value = {1, 2, 3}; }},
      {&kFieldSize, [](RawRecord& r) { r.at(5).value = {}; }},
      {&kFieldValue, [](RawRecord& r) { r.at(254).value = {0, 1}; }},
  };
  for (const Case& c : cases) {
    RawRecord raw{record()};
    c.spoil(raw);
    EXPECT_EQ(error_of(raw.bytes()), c.error) << c.error->name << " at " << (&c - cases);
  }
}

TEST(Tlv, unknown_fields_that_are_not_critical_are_skipped_wherever_they_stand) {
  for (int id : {0, 2, 4, 6, 253, 255}) {
    RawRecord raw{record()};
    raw.insert({0, static_cast<std::uint8_t>(id), {1, 2, 3}});
    const auto parsed = parse(raw.bytes());
    ASSERT_TRUE(parsed.ok()) << id;
    EXPECT_EQ(parsed->one, 0x1234);
    EXPECT_EQ(parsed->five, 7);
  }
}

TEST(Tlv, a_forbidden_field_is_named_as_unexpected) {
  const auto bytes = record();
  RecordReader reader(bytes, RecordKind::m1, kMax);
  reader.required(1, 2);
  reader.forbidden(5);
  const auto result = reader.finish();
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(result.error().is(kFieldUnexpected));
  EXPECT_EQ(result.error().detail(), 5);
}

TEST(Tlv, a_length_near_the_top_of_u32_is_truncated_and_takes_no_memory) {
  ByteVector bytes = record();
  for (std::size_t i = 5; i < 9; ++i) bytes[i] = 0xff;
  EXPECT_EQ(error_of(bytes), &kRecordTruncated);
  EXPECT_TRUE(measure_record(bytes).error().is(kRecordTruncated));
}

TEST(Tlv, a_record_can_be_measured_in_front_of_other_bytes) {
  ByteVector bytes = record(2);
  const std::size_t size = bytes.size();
  bytes.insert(bytes.end(), 20, 0xaa);
  EXPECT_EQ(measure_record(bytes).value(), size);
  for (std::size_t short_size = 0; short_size < size; ++short_size) {
    EXPECT_FALSE(measure_record(Bytes(bytes).first(short_size)).ok());
  }
}

}  // namespace
}  // namespace karst::wire
