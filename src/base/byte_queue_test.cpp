#include "base/byte_queue.h"

#include <gtest/gtest.h>

#include <deque>

#include "base/prng.h"

namespace karst {
namespace {

TEST(ByteQueue, behaves_like_a_deque_of_bytes_under_random_operations) {
  Prng prng(11);
  ByteQueue queue;
  std::deque<std::uint8_t> model;
  for (int step = 0; step < 20000; ++step) {
    if (prng.chance(1, 2)) {
      ByteVector bytes(prng.below(3000));
      prng.fill(bytes);
      queue.append(bytes);
      model.insert(model.end(), bytes.begin(), bytes.end());
    } else if (!model.empty()) {
      const std::size_t count = prng.below(std::min<std::size_t>(model.size(), 4000) + 1);
      ByteVector copied(count);
      queue.copy_out(0, copied);
      ASSERT_TRUE(std::equal(copied.begin(), copied.end(), model.begin()));
      queue.consume(count);
      model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count));
    }
    ASSERT_EQ(queue.size(), model.size());
    ASSERT_EQ(queue.empty(), model.empty());
    if (!model.empty()) {
      ASSERT_EQ(queue.front()[0], model.front());
    }
  }
}

TEST(ByteQueue, copy_out_from_an_offset_crosses_chunks) {
  ByteQueue queue;
  ByteVector bytes(3 * ByteQueue::kChunkBytes);
  Prng(3).fill(bytes);
  queue.append(bytes);
  queue.consume(100);
  ByteVector out(2 * ByteQueue::kChunkBytes);
  queue.copy_out(50, out);
  EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin() + 150));
}

TEST(ByteQueue, prepare_without_commit_leaves_it_empty) {
  ByteQueue queue;
  EXPECT_GT(queue.prepare().size(), 0u);
  EXPECT_TRUE(queue.empty());
  EXPECT_TRUE(queue.front().empty());
  Bytes runs[2];
  EXPECT_EQ(queue.gather(runs), 0u);
  queue.append(as_bytes("ab"));
  EXPECT_EQ(as_text(queue.front()), "ab");
}

TEST(ByteQueue, footprint_counts_every_chunk_and_the_spare) {
  ByteQueue queue;
  EXPECT_EQ(queue.footprint(), 0u);
  queue.append(ByteVector(ByteQueue::kChunkBytes + 1));
  EXPECT_EQ(queue.footprint(), 2 * ByteQueue::kChunkBytes);
  queue.consume(ByteQueue::kChunkBytes);  // that chunk is the spare now
  EXPECT_EQ(queue.footprint(), 2 * ByteQueue::kChunkBytes);
  queue.release_spare();
  EXPECT_EQ(queue.footprint(), ByteQueue::kChunkBytes);
  queue.consume(1);
  queue.release_spare();
  EXPECT_EQ(queue.footprint(), 0u);
}

TEST(ByteQueue, gather_gives_every_run_in_order) {
  ByteQueue queue;
  ByteVector bytes(2 * ByteQueue::kChunkBytes + 5);
  Prng(4).fill(bytes);
  queue.append(bytes);
  Bytes runs[8];
  const std::size_t filled = queue.gather(runs);
  ByteVector joined;
  for (std::size_t i = 0; i < filled; ++i)
    joined.insert(joined.end(), runs[i].begin(), runs[i].end());
  EXPECT_EQ(joined, bytes);
}

TEST(ByteQueue, a_move_leaves_an_empty_queue_that_can_be_used) {
  ByteQueue from;
  from.append(as_bytes("abc"));
  ByteQueue to(std::move(from));
  EXPECT_TRUE(from.empty());
  EXPECT_EQ(from.size(), 0u);
  EXPECT_EQ(as_text(to.front()), "abc");
  from.append(as_bytes("de"));
  EXPECT_EQ(as_text(from.front()), "de");
  to = std::move(from);
  EXPECT_EQ(from.size(), 0u);
  EXPECT_TRUE(from.front().empty());
  EXPECT_EQ(as_text(to.front()), "de");
}

}  // namespace
}  // namespace karst
