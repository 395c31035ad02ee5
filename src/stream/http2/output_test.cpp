// The shape of the output: what shares a block, and what fills one.
#include <gtest/gtest.h>

#include <vector>

#include "stream/http2/http2_pair.h"

namespace karst::stream::http2 {
namespace {

struct Tunnel {
  SessionPair pair;
  MessageQueue up;
  StreamId id = 0;

  Tunnel() {
    pair.server.set_local_window(kConnection, 1 << 20);
    id = *pair.client.request(connect_request(), &up);
    pair.carry();
    pair.server.set_local_window(id, 1 << 20);
    pair.carry();
  }
  std::vector<std::size_t> send(std::initializer_list<std::size_t> messages) {
    for (const std::size_t size : messages) up.push(ByteVector(size, 0x77));
    pair.client.resume(id);
    std::vector<std::size_t> sizes;
    for (const ByteVector& block : poll_blocks(pair.client)) {
      sizes.push_back(block.size());
      EXPECT_TRUE(pair.server.feed(block).ok());
    }
    return sizes;
  }
};

TEST(Output, a_message_of_16375_bytes_is_one_frame_and_one_full_block) {
  Tunnel tunnel;
  tunnel.up.push(ByteVector(16'375, 0x77));
  tunnel.pair.client.resume(tunnel.id);
  const auto blocks = poll_blocks(tunnel.pair.client);
  ASSERT_EQ(blocks.size(), 1u);
  ASSERT_EQ(blocks[0].size(), 16'384u);
  const ByteVector header(blocks[0].begin(), blocks[0].begin() + 9);
  EXPECT_EQ(header, (ByteVector{0x00, 0x3f, 0xf7, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01}));
}

TEST(Output, full_messages_make_nothing_but_full_blocks) {
  Tunnel tunnel;
  EXPECT_EQ(tunnel.send({16'375, 16'375, 16'375, 16'375}), (std::vector<std::size_t>(4, 16'384)));
}

TEST(Output, small_frames_share_a_block_and_none_is_cut) {
  Tunnel tunnel;
  EXPECT_EQ(tunnel.send({1, 2, 3, 4'000}), (std::vector<std::size_t>{4 * 9 + 4'006}));
  EXPECT_EQ(tunnel.send({8'000, 8'000, 8'000}), (std::vector<std::size_t>{16'018, 8'009}));
}

TEST(Output, a_full_message_behind_a_small_frame_gets_a_block_of_its_own) {
  Tunnel tunnel;
  tunnel.pair.client.set_local_window(kConnection, 20'000'000);
  EXPECT_EQ(tunnel.send({16'375, 16'375}), (std::vector<std::size_t>{13, 16'384, 16'384}));
}

TEST(Output, a_message_over_the_frame_size_is_cut_into_full_frames) {
  Tunnel tunnel;
  EXPECT_EQ(tunnel.send({40'000, 16'375}),
            (std::vector<std::size_t>{16'384, 16'384, 40'000 - 2 * 16'375 + 9, 16'384}));
  EXPECT_EQ(tunnel.pair.server_saw.bodies[tunnel.id].size(), 56'375u);
}

TEST(Output, headers_larger_than_a_block_are_cut_and_arrive) {
  SessionPair pair;
  RequestHead head = get_request();
  for (int i = 0; i < 5; ++i) head.fields.push_back({"x-big", std::string(5'000, 'v'), true});
  ASSERT_TRUE(pair.client.request(head, nullptr).ok());
  const auto blocks = poll_blocks(pair.client);
  ASSERT_EQ(blocks.size(), 2u);
  EXPECT_EQ(blocks[0].size(), kBlockBytes);
  for (const ByteVector& block : blocks) ASSERT_TRUE(pair.server.feed(block).ok());
  EXPECT_EQ(pair.server_saw.requests[1].fields, head.fields);
}

// Chosen as late as possible: a source is asked for what can be sent, not ahead of it.
class CountingSource final : public BodySource {
 public:
  int asked = 0;
  int written = 0;
  Chunk next(std::size_t max) override {
    ++asked;
    return {max, false};
  }
  void write(MutableBytes) override { ++written; }
};

TEST(Output, a_source_is_asked_for_one_full_block_at_a_time) {
  SessionPair pair;
  pair.server.set_local_window(kConnection, 1 << 20);
  CountingSource source;
  const StreamId id = *pair.client.request(connect_request(), &source);
  ByteVector space(kBlockBytes);
  (void)pair.client.poll_output(space);
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(pair.client.poll_output(space), kBlockBytes);
    EXPECT_EQ(source.written, i);
    EXPECT_EQ(source.asked, i + 1 - (source.asked == i ? 1 : 0));
  }
  (void)id;
}

TEST(MessageQueue, counts_what_is_left_and_ends_with_the_last_message) {
  MessageQueue queue;
  EXPECT_EQ(queue.next(10).bytes, 0u);
  EXPECT_FALSE(queue.next(10).end);
  queue.push(ByteVector{1, 2, 3});
  queue.push({});
  queue.push(ByteVector{4});
  EXPECT_EQ(queue.messages(), 2u);
  EXPECT_EQ(queue.bytes(), 4u);
  queue.finish();
  ByteVector two(2);
  EXPECT_EQ(queue.next(2).bytes, 2u);
  EXPECT_FALSE(queue.next(2).end);
  queue.write(two);
  EXPECT_EQ(two, (ByteVector{1, 2}));
  ByteVector one(1);
  EXPECT_EQ(queue.next(100).bytes, 1u);
  queue.write(one);
  EXPECT_EQ(one, (ByteVector{3}));
  EXPECT_TRUE(queue.next(100).end);
  queue.write(one);
  EXPECT_EQ(one, (ByteVector{4}));
  EXPECT_EQ(queue.bytes(), 0u);
  EXPECT_EQ(queue.next(100).bytes, 0u);
  EXPECT_TRUE(queue.next(100).end);
}

}  // namespace
}  // namespace karst::stream::http2
