// A sanitizer has its own operator new and pairs it with its own delete: this test replaces both,
// so it belongs to the plain build only.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "stream/record/record_for_test.h"

namespace {

std::size_t allocations = 0;

}  // namespace

// Counts what our code asks of the heap. (Not OpenSSL's own: setting the key of an HMAC copies it
// to 32 bytes of heap.)
void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace karst::stream::record {
namespace {

TEST(RecordAllocation, neither_a_record_nor_entering_a_prepared_epoch_asks_the_heap) {
  RecordPair link;
  ByteVector record = frame_record(wire::FrameType::data, wire::kPlaintextBytesMax);
  const auto seal_and_open = [&] {
    ASSERT_TRUE(link.ratchets.client.can_seal_counted(wire::kPlaintextBytesMax, link.now));
    link.sealer.seal(wire::RecordKind::counted, record, link.now);
    ASSERT_TRUE(link.opener.open(record, link.now).ok());
  };
  seal_and_open();
  link.exchange();
  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) seal_and_open();
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(link.ratchets.server.stream_receive().current(), 1u);
}

TEST(RecordAllocation, the_counter_counts) {
  const std::size_t before = allocations;
  EXPECT_EQ(frame_record(wire::FrameType::data, 100).size(), 132u);
  EXPECT_GT(allocations, before);
}

}  // namespace
}  // namespace karst::stream::record

#endif
