#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>

#include "base/bytes.h"

namespace karst {

// A first-in first-out queue of bytes in chunks. Memory follows what is held: an empty queue owns
// at most one spare chunk. It has no limit of its own: whoever appends bounds it first.
// Spans returned by front(), prepare() and gather() live until the next non-const call.
class ByteQueue {
 public:
  static constexpr std::size_t kChunkBytes = 32 * 1024;

  ByteQueue() = default;
  // A move leaves an empty queue.
  ByteQueue(ByteQueue&& other) noexcept
      : chunks_(std::exchange(other.chunks_, {})),
        spare_(std::move(other.spare_)),
        size_(std::exchange(other.size_, 0)) {}
  ByteQueue& operator=(ByteQueue&& other) noexcept {
    ByteQueue moved(std::move(other));
    chunks_.swap(moved.chunks_);
    spare_.swap(moved.spare_);
    std::swap(size_, moved.size_);
    return *this;
  }

  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }

  void append(Bytes bytes);

  // Room for at least one byte, up to a chunk, at the end of the queue; commit() says how many
  // bytes were written there. prepare() without commit() leaves the queue as it was.
  MutableBytes prepare();
  void commit(std::size_t written);

  // The first contiguous run of bytes; empty when the queue is.
  Bytes front() const;
  // Fills `out` with the runs in order, from the front, and returns how many were filled.
  std::size_t gather(std::span<Bytes> out) const;
  // Copies the bytes from `offset` on, all of which must be there.
  void copy_out(std::size_t offset, MutableBytes out) const;
  // Drops `count` bytes from the front, all of which must be there.
  void consume(std::size_t count);
  void clear();
  // The memory that the queue owns, spare chunk included.
  std::size_t footprint() const { return (chunks_.size() + (spare_ ? 1 : 0)) * kChunkBytes; }
  // Gives the spare chunk back to the heap: an idle queue then holds nothing.
  void release_spare() { spare_.reset(); }

 private:
  struct Chunk {
    std::unique_ptr<std::uint8_t[]> bytes;
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  void drop_front_chunk();
  Chunk& writable_chunk();

  std::deque<Chunk> chunks_;
  std::unique_ptr<std::uint8_t[]> spare_;
  std::size_t size_ = 0;
};

}  // namespace karst
