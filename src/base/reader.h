#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace karst {

// Reads big-endian integers and byte runs from the front of borrowed bytes. A read past the end
// gives zeros (or an empty span) and makes the reader fail for good, so a parser reads a whole
// message in straight lines and asks once, at the end, through finished() or ok().
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(bytes) {}

  std::uint8_t u8() { return static_cast<std::uint8_t>(integer(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(integer(2)); }
  std::uint32_t u24() { return static_cast<std::uint32_t>(integer(3)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(integer(4)); }
  std::uint64_t u64() { return integer(8); }

  // Exactly `count` bytes, borrowed from the input.
  Bytes bytes(std::size_t count) {
    if (count > rest_.size()) {
      fail();
      return {};
    }
    const Bytes out = rest_.first(count);
    rest_ = rest_.subspan(count);
    return out;
  }
  // Fills `out` exactly; on failure it is zeroed.
  void copy(MutableBytes out) {
    const Bytes from = bytes(out.size());
    if (from.size() == out.size()) {
      copy_bytes(out, from);
    } else {
      for (auto& byte : out) byte = 0;
    }
  }
  // Everything that is left.
  Bytes rest() { return bytes(rest_.size()); }

  std::size_t remaining() const { return rest_.size(); }
  bool ok() const { return ok_; }
  // Nothing was missing and nothing is left over.
  bool finished() const { return ok_ && rest_.empty(); }
  // For a parser that finds a wrong value.
  void fail() {
    ok_ = false;
    rest_ = {};
  }

 private:
  std::uint64_t integer(std::size_t width) {
    std::uint64_t value = 0;
    for (std::uint8_t byte : bytes(width)) value = value << 8 | byte;
    return value;
  }

  Bytes rest_;
  bool ok_ = true;
};

}  // namespace karst
