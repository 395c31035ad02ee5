#include "wire/frame.h"

#include <gtest/gtest.h>

#include "wire/test_bytes.h"

namespace karst::wire {
namespace {

ByteVector frame(FrameType type, std::uint32_t stream, std::size_t length) {
  ByteVector space(kFrameHeaderBytes + length);
  Writer out(space);
  write_frame_header(out, type, StreamId{stream}, length);
  return space;
}

ByteVector operator+(ByteVector a, const ByteVector& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

bool fails(Bytes record, const ErrorKind& kind) {
  const auto result = classify_record(record);
  return !result.ok() && result.error().is(kind);
}

TEST(Frame, header_is_type_stream_and_length) {
  EXPECT_EQ(frame(FrameType::data, 0x01020304, 2), hex("03 01020304 000002 0000"));
}

TEST(Frame, a_record_is_walked_frame_by_frame) {
  const ByteVector record = hex("03 00000007 000002 aabb  0a 00000000 000000");
  auto frames = FrameReader::of(record);
  ASSERT_TRUE(frames.ok());
  const auto first = frames->next();
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(first->type, FrameType::data);
  EXPECT_EQ(first->stream, StreamId{7});
  EXPECT_EQ(to_vector(first->payload), hex("aabb"));
  ASSERT_FALSE(frames->at_end());
  const auto second = frames->next();
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->type, FrameType::goaway);
  EXPECT_TRUE(second->payload.empty());
  EXPECT_TRUE(frames->at_end());
}

TEST(Frame, a_record_is_counted_if_one_of_its_frames_is) {
  struct Row {
    FrameType type;
    std::uint32_t stream;
    RecordKind kind;
  };
  constexpr Row kRows[] = {
      {FrameType::open, 1, RecordKind::counted},
      {FrameType::open_result, 1, RecordKind::counted},
      {FrameType::data, 1, RecordKind::counted},
      {FrameType::fin, 1, RecordKind::counted},
      {FrameType::reset, 1, RecordKind::counted},
      {FrameType::packet, 0, RecordKind::counted},
      {FrameType::packet, 1, RecordKind::counted},
      {FrameType::credit, 0, RecordKind::uncounted},
      {FrameType::credit, 1, RecordKind::uncounted},
      {FrameType::ping, 0, RecordKind::uncounted},
      {FrameType::pong, 0, RecordKind::uncounted},
      {FrameType::goaway, 0, RecordKind::uncounted},
      {FrameType::report, 0, RecordKind::uncounted},
  };
  const ByteVector ping = frame(FrameType::ping, 0, 8);
  for (const Row& row : kRows) {
    const ByteVector bytes = frame(row.type, row.stream, 3);
    EXPECT_EQ(*classify_record(bytes), row.kind) << int(row.type);
    EXPECT_EQ(*classify_record(ping + bytes), row.kind) << int(row.type);
    EXPECT_EQ(*classify_record(bytes + ping), row.kind) << int(row.type);
  }
}

TEST(Frame, a_ratchet_message_is_alone_in_its_record) {
  const ByteVector ping = frame(FrameType::ping, 0, 8);
  for (const FrameType type : {FrameType::offer, FrameType::ack}) {
    const ByteVector bytes = frame(type, 0, 20);
    EXPECT_EQ(*classify_record(bytes), RecordKind::ratchet);
    EXPECT_TRUE(fails(bytes + ping, kFrameNotAlone));
    EXPECT_TRUE(fails(ping + bytes, kFrameNotAlone));
    EXPECT_TRUE(fails(bytes + bytes, kFrameNotAlone));
  }
}

TEST(Frame, a_ratchet_record_gives_back_its_message) {
  ByteVector space(100);
  const std::size_t size = format_ratchet_record(FrameType::ack, hex("0102"), space);
  EXPECT_EQ(to_vector(Bytes(space).first(size)), hex("0d 00000000 000002 0102"));
  const RatchetFrame back = ratchet_frame(Bytes(space).first(size));
  EXPECT_EQ(back.type, FrameType::ack);
  EXPECT_EQ(to_vector(back.message), hex("0102"));
}

TEST(Frame, every_type_byte_is_either_known_with_its_streams_or_refused) {
  for (int type = 0; type < 256; ++type) {
    const auto kind = static_cast<FrameType>(type);
    const bool known = type >= 1 && type <= 13;  // 14 is reserved
    const bool control_only = type >= 8;
    const bool stream_only = type <= 5;
    EXPECT_EQ(classify_record(frame(kind, 0, 0)).ok(), known && !stream_only) << type;
    EXPECT_EQ(classify_record(frame(kind, 1, 0)).ok(), known && !control_only) << type;
    EXPECT_EQ(classify_record(frame(kind, kStreamIdMax, 0)).ok(), known && !control_only) << type;
    EXPECT_FALSE(classify_record(frame(kind, kStreamIdMax + 1, 0)).ok()) << type;
    EXPECT_EQ(fails(frame(kind, 0, 0), kFrameTypeUnknown), !known) << type;
  }
}

TEST(Frame, a_record_that_ends_inside_a_frame_is_refused_at_every_length) {
  const ByteVector record = frame(FrameType::data, 1, 5) + frame(FrameType::fin, 1, 8);
  for (std::size_t length = 1; length < record.size(); ++length) {
    const Bytes part = Bytes(record).first(length);
    EXPECT_EQ(fails(part, kFrameTruncated), length != 13) << length;
  }
  EXPECT_TRUE(fails({}, kRecordEmpty));
}

TEST(Frame, the_longest_record_is_read_and_one_byte_more_is_not) {
  for (const std::size_t length : {kFramePayloadBytesMax - 1, kFramePayloadBytesMax}) {
    EXPECT_TRUE(classify_record(frame(FrameType::data, 1, length)).ok()) << length;
  }
  const ByteVector two =
      frame(FrameType::data, 1, kFramePayloadBytesMax - 7) + frame(FrameType::data, 1, 0);
  ASSERT_EQ(two.size(), kPlaintextBytesMax + 1);
  EXPECT_TRUE(fails(two, kRecordTooLong));
}

}  // namespace
}  // namespace karst::wire
