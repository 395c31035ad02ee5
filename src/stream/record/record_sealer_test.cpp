#include "stream/record/record_sealer.h"

#include <gtest/gtest.h>

#include "keys/ratchet_oracle_for_test.h"
#include "stream/record/record_for_test.h"

namespace karst::stream::record {
namespace {

namespace oracle = keys::oracle;

TEST(RecordSealer, a_record_is_exactly_what_the_protocol_states) {
  RecordPair link;
  ByteVector chain = oracle::chain_start(keys::RatchetPair::root(0x11).expose());
  for (std::uint64_t sequence = 0; sequence < 3; ++sequence) {
    const ByteVector step = oracle::record_step(chain);
    chain = to_vector(Bytes(step).last(32));
    const ByteVector plain = frame_record(wire::FrameType::data, 100);
    const auto header = oracle::join({oracle::number(0, 8), oracle::number(sequence, 8)});
    const auto sealed = oracle::gcm_seal(Bytes(step).first(32), Bytes(step).subspan(32, 12), header,
                                         Bytes(plain).subspan(16, 100));
    EXPECT_EQ(link.seal(), oracle::join({header, sealed}));
  }
}

TEST(RecordSealer, the_header_names_the_epoch_and_the_sequence_over_an_epoch_s_end) {
  RecordPair link;
  for (std::uint64_t sequence = 0; sequence < 600; ++sequence) {
    ByteVector record = link.seal();
    EXPECT_EQ(to_vector(Bytes(record).first(8)), oracle::number(sequence / 512, 8));
    EXPECT_EQ(to_vector(Bytes(record).subspan(8, 8)), oracle::number(sequence, 8));
    ASSERT_TRUE(link.open(record).ok());
    link.exchange();
  }
}

TEST(RecordSealer, an_epoch_ends_early_when_the_next_full_record_does_not_fit) {
  RecordPair link;
  const auto full = [&] { return link.seal(wire::FrameType::data, wire::kPlaintextBytesMax); };
  for (int record = 0; record < 16; ++record) {
    EXPECT_EQ(full()[7], 0);
    link.exchange();
  }
  EXPECT_EQ(full()[7], 1);
}

TEST(RecordSealer, uncounted_records_stay_in_a_spent_epoch) {
  RecordPair link;
  for (int record = 0; record < 512; ++record) link.seal();
  link.exchange();
  EXPECT_EQ(link.seal(wire::FrameType::ping, 16)[7], 0);
  EXPECT_EQ(link.seal()[7], 1);
}

TEST(RecordSealerDeathTest, a_counted_record_that_cannot_be_sealed_ends_the_process) {
  RecordPair link;
  for (int record = 0; record < 512; ++record) link.seal();
  ASSERT_FALSE(link.ratchets.client.can_seal_counted(100, link.now));
  EXPECT_DEATH(link.seal(), "can_seal");
}

}  // namespace
}  // namespace karst::stream::record
