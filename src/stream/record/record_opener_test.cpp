#include "stream/record/record_opener.h"

#include <gtest/gtest.h>

#include <utility>

#include "stream/record/record_for_test.h"

namespace karst::stream::record {
namespace {

using wire::FrameType;

TEST(RecordOpener, gives_the_plaintext_in_place_and_its_kind) {
  RecordPair link;
  for (const auto& [type, kind] : {std::pair(FrameType::data, wire::RecordKind::counted),
                                   std::pair(FrameType::ping, wire::RecordKind::uncounted),
                                   std::pair(FrameType::offer, wire::RecordKind::ratchet)}) {
    const ByteVector plain = frame_record(type, 50);
    ByteVector record = link.seal(type, 50);
    const auto opened = link.open(record);
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->kind, kind);
    EXPECT_EQ(opened->plaintext.data(), record.data() + kRecordHeaderBytes);
    EXPECT_TRUE(equal(opened->plaintext, Bytes(plain).subspan(kRecordHeaderBytes, 50)));
  }
}

TEST(RecordOpener, opens_every_size_up_to_the_largest) {
  RecordPair link(8);
  for (std::size_t size = wire::kFrameHeaderBytes; size <= wire::kPlaintextBytesMax; size += 341) {
    ByteVector record = link.seal(FrameType::data, size);
    const auto opened = link.open(record);
    ASSERT_TRUE(opened.ok()) << size;
    EXPECT_EQ(opened->plaintext.size(), size);
    link.exchange();
  }
}

TEST(RecordOpener, a_length_outside_its_bounds_is_refused_before_anything_else) {
  for (const auto& [size, in_bounds] :
       {std::pair(std::size_t{0}, false), std::pair(kRecordOverheadBytes - 1, false),
        std::pair(kRecordOverheadBytes, true), std::pair(kRecordBytesMax, true),
        std::pair(kRecordBytesMax + 1, false)}) {
    RecordPair link;
    ByteVector record(size);
    const auto opened = link.open(record);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().is(kRecordLength), !in_bounds) << size;
    EXPECT_EQ(opened.error().is(keys::kRecordNotAuthentic), in_bounds) << size;
  }
}

TEST(RecordOpener, any_altered_byte_ends_the_link_by_the_name_of_what_was_altered) {
  RecordPair link;
  const ByteVector good = link.seal();
  for (std::size_t byte = 0; byte < good.size(); ++byte) {
    ByteVector bad = good;
    bad[byte] ^= 1;
    const auto opened = link.open(bad);
    ASSERT_FALSE(opened.ok()) << byte;
    const ErrorKind& expected = byte < 8    ? keys::kWrongEpoch
                                : byte < 16 ? keys::kWrongSequence
                                            : keys::kRecordNotAuthentic;
    EXPECT_TRUE(opened.error().is(expected)) << byte;
  }
  ByteVector record = good;
  EXPECT_TRUE(link.open(record).ok());
}

TEST(RecordOpener, a_replayed_skipped_or_swapped_record_is_refused) {
  RecordPair link;
  ByteVector first = link.seal(), replay = first, second = link.seal(), third = link.seal();
  ASSERT_TRUE(link.open(first).ok());
  EXPECT_TRUE(link.open(replay).error().is(keys::kWrongSequence));
  EXPECT_TRUE(link.open(third).error().is(keys::kWrongSequence));
  EXPECT_TRUE(link.open(second).ok());
}

TEST(RecordOpener, a_record_that_claims_a_skipped_epoch_is_refused) {
  RecordPair link;
  ByteVector first = link.seal();
  link.exchange();
  link.seal(FrameType::data, 16'000);
  link.exchange();
  ASSERT_TRUE(link.open(first).ok());
  ByteVector forged(first.size());
  forged[7] = 2;   // epoch 2, which is prepared, while 0 is current
  forged[15] = 1;  // the sequence that is due
  EXPECT_TRUE(link.open(forged).error().is(keys::kWrongEpoch));
}

// A sender with a larger policy than was agreed, as ours never is.
struct Cheat {
  Cheat()
      : ratchets(keys::RatchetPair::parameters({1ull << 30, 1 << 20, 86'400'000}),
                 keys::RatchetPair::parameters(), keys::DepthMode::fixed, now),
        sealer(ratchets.client.send_epochs()),
        opener(ratchets.server.stream_receive()) {}

  // Sends records until one is refused: how many were not, and why that one was.
  std::pair<int, Error> flood(FrameType type, wire::RecordKind kind, std::size_t size) {
    for (int accepted = 0;; ++accepted) {
      ByteVector record = frame_record(type, size);
      sealer.seal(kind, record, now);
      if (const auto opened = opener.open(record, now); !opened.ok()) {
        return {accepted, opened.error()};
      }
    }
  }

  TimePoint now{std::chrono::seconds(1000)};
  keys::RatchetPair ratchets;
  RecordSealer sealer;
  RecordOpener opener;
};

TEST(RecordOpener, the_first_record_beyond_bytes_frames_or_the_uncounted_bound_is_refused) {
  struct Case {
    FrameType type;
    wire::RecordKind kind;
    std::size_t size;
    int accepted;
  };
  for (const Case& c :
       {Case{FrameType::data, wire::RecordKind::counted, 16'000, 262'144 / 16'000},
        Case{FrameType::data, wire::RecordKind::counted, 8, 512},
        Case{FrameType::ping, wire::RecordKind::uncounted, 16, 512 + 65'536},
        // What is counted is what the record holds, not what its sender thinks of it.
        Case{FrameType::data, wire::RecordKind::uncounted, 8, 512}}) {
    const auto [accepted, error] = Cheat().flood(c.type, c.kind, c.size);
    EXPECT_EQ(accepted, c.accepted);
    EXPECT_TRUE(error.is(keys::kBudgetExceeded));
  }
}

TEST(RecordOpener, an_authentic_record_that_is_not_made_of_frames_is_refused) {
  RecordPair link;
  ByteVector record(kRecordOverheadBytes + 20);  // frame type 0 does not exist
  link.sealer.seal(wire::RecordKind::uncounted, record, link.now);
  EXPECT_TRUE(link.open(record).error().is(wire::kFrameTypeUnknown));
}

TEST(RecordOpener, an_empty_first_record_and_ok_are_uncounted) {
  RecordPair link;
  ByteVector empty(kRecordOverheadBytes), ok(kRecordOverheadBytes + 300, 0xff);
  link.sealer.seal(wire::RecordKind::uncounted, empty, link.now);
  link.sealer.seal(wire::RecordKind::uncounted, ok, link.now);
  const auto first = link.open(empty);
  ASSERT_TRUE(first.ok());
  EXPECT_TRUE(first->plaintext.empty());
  const auto second = link.opener.open_ok(ok, link.now);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(to_vector(*second), ByteVector(300, 0xff));
  const auto& counters = link.ratchets.server.stream_receive().counters();
  EXPECT_EQ(counters.counted_records, 0u);
  EXPECT_EQ(counters.uncounted_records, 2u);
}

TEST(RecordOpener, an_empty_record_that_is_not_the_first_is_refused) {
  RecordPair link;
  ByteVector first = link.seal(), empty(kRecordOverheadBytes);
  link.sealer.seal(wire::RecordKind::uncounted, empty, link.now);
  ASSERT_TRUE(link.open(first).ok());
  const auto opened = link.open(empty);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(opened.error().is(wire::kRecordEmpty));
}

}  // namespace
}  // namespace karst::stream::record
