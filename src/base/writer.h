#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "base/check.h"

namespace karst {

// Writes big-endian integers and byte runs to borrowed space. The caller has made the space large
// enough for what it formats: running out is our own error and ends the process.
class Writer {
 public:
  explicit Writer(MutableBytes space) : space_(space) {}

  void u8(std::uint8_t value) { integer(value, 1); }
  void u16(std::uint16_t value) { integer(value, 2); }
  void u24(std::uint32_t value) {
    CHECK(value < 1u << 24);
    integer(value, 3);
  }
  void u32(std::uint32_t value) { integer(value, 4); }
  void u64(std::uint64_t value) { integer(value, 8); }
  void bytes(Bytes from) { copy_bytes(take(from.size()), from); }
  // Hands out `count` bytes of the space to be filled by the caller.
  MutableBytes take(std::size_t count) {
    CHECK(count <= space_.size() - written_);
    const MutableBytes out = space_.subspan(written_, count);
    written_ += count;
    return out;
  }

  std::size_t written() const { return written_; }
  std::size_t room() const { return space_.size() - written_; }

 private:
  void integer(std::uint64_t value, std::size_t width) {
    const MutableBytes out = take(width);
    for (std::size_t i = width; i-- > 0; value >>= 8) out[i] = static_cast<std::uint8_t>(value);
  }

  MutableBytes space_;
  std::size_t written_ = 0;
};

}  // namespace karst
