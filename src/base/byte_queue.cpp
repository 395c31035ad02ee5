#include "base/byte_queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace karst {

ByteQueue::Chunk& ByteQueue::writable_chunk() {
  if (chunks_.empty() || chunks_.back().end == kChunkBytes) {
    auto bytes =
        spare_ ? std::move(spare_) : std::make_unique_for_overwrite<std::uint8_t[]>(kChunkBytes);
    chunks_.push_back({std::move(bytes), 0, 0});
  }
  return chunks_.back();
}

void ByteQueue::append(Bytes bytes) {
  while (!bytes.empty()) {
    const MutableBytes space = prepare();
    const std::size_t count = std::min(space.size(), bytes.size());
    copy_bytes(space, bytes.first(count));
    commit(count);
    bytes = bytes.subspan(count);
  }
}

MutableBytes ByteQueue::prepare() {
  Chunk& chunk = writable_chunk();
  return {chunk.bytes.get() + chunk.end, kChunkBytes - chunk.end};
}

void ByteQueue::commit(std::size_t written) {
  CHECK(!chunks_.empty() && written <= kChunkBytes - chunks_.back().end);
  chunks_.back().end += written;
  size_ += written;
}

Bytes ByteQueue::front() const {
  if (size_ == 0) return {};
  const Chunk& chunk = chunks_.front();
  return {chunk.bytes.get() + chunk.begin, chunk.end - chunk.begin};
}

std::size_t ByteQueue::gather(std::span<Bytes> out) const {
  std::size_t filled = 0;
  for (const Chunk& chunk : chunks_) {
    if (filled == out.size() || chunk.begin == chunk.end) break;
    out[filled++] = {chunk.bytes.get() + chunk.begin, chunk.end - chunk.begin};
  }
  return filled;
}

void ByteQueue::copy_out(std::size_t offset, MutableBytes out) const {
  CHECK(offset <= size_ && out.size() <= size_ - offset);
  for (const Chunk& chunk : chunks_) {
    if (out.empty()) return;
    const std::size_t held = chunk.end - chunk.begin;
    if (offset >= held) {
      offset -= held;
      continue;
    }
    const std::size_t count = std::min(held - offset, out.size());
    copy_bytes(out, {chunk.bytes.get() + chunk.begin + offset, count});
    out = out.subspan(count);
    offset = 0;
  }
}

void ByteQueue::consume(std::size_t count) {
  CHECK(count <= size_);
  size_ -= count;
  while (count > 0) {
    Chunk& chunk = chunks_.front();
    const std::size_t taken = std::min(count, chunk.end - chunk.begin);
    chunk.begin += taken;
    count -= taken;
    if (chunk.begin == chunk.end) drop_front_chunk();
  }
}

void ByteQueue::drop_front_chunk() {
  // A chunk that still has room behind its end may be the one that prepare() handed out.
  spare_ = std::move(chunks_.front().bytes);
  chunks_.pop_front();
}

void ByteQueue::clear() {
  chunks_.clear();
  size_ = 0;
}

}  // namespace karst
