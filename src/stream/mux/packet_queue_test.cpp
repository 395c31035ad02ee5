#include "stream/mux/packet_queue.h"

#include <gtest/gtest.h>

namespace karst::stream::mux {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{5s};
constexpr std::size_t kOne = 100 + PacketQueue::kOverheadBytes;

std::string pop(PacketQueue& queue) {
  ByteVector out(queue.front_size());
  queue.pop(out);
  return std::string(as_text(out));
}

TEST(PacketQueue, gives_packets_back_whole_and_in_order) {
  PacketQueue queue;
  queue.push(as_bytes("a"), as_bytes("bc"), 1000, kStart);
  queue.push({}, as_bytes("d"), 1000, kStart + 1s);
  queue.push({}, {}, 1000, kStart + 2s);
  EXPECT_EQ(queue.front_time(), kStart);
  EXPECT_EQ(pop(queue), "abc");
  EXPECT_EQ(queue.front_time(), kStart + 1s);
  EXPECT_EQ(pop(queue), "d");
  EXPECT_EQ(pop(queue), "");
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(queue.held(), 0u);
  EXPECT_EQ(queue.footprint(), 0u);
}

TEST(PacketQueue, drops_the_oldest_only_when_the_limit_is_passed) {
  for (const std::size_t limit : {2 * kOne - 1, 2 * kOne, 2 * kOne + 1}) {
    PacketQueue queue;
    EXPECT_EQ(queue.push({}, ByteVector(100, 'a'), limit, kStart), 0u);
    EXPECT_EQ(queue.push({}, ByteVector(100, 'b'), limit, kStart), limit < 2 * kOne ? 1u : 0u);
    EXPECT_EQ(queue.push({}, ByteVector(100, 'c'), limit, kStart), 1u);
    EXPECT_EQ(pop(queue)[0], limit < 2 * kOne ? 'c' : 'b');
  }
}

TEST(PacketQueue, a_packet_above_the_limit_is_itself_dropped) {
  PacketQueue queue;
  EXPECT_EQ(queue.push({}, ByteVector(100), kOne - 1, kStart), 1u);
  EXPECT_TRUE(queue.empty());
}

TEST(PacketQueue, empty_packets_are_bounded_too) {
  PacketQueue queue;
  for (int i = 0; i < 1000; ++i) queue.push({}, {}, 10 * PacketQueue::kOverheadBytes, kStart);
  EXPECT_EQ(queue.held(), 10 * PacketQueue::kOverheadBytes);
}

}  // namespace
}  // namespace karst::stream::mux
