#pragma once

#include <cstdint>

#include "base/bytes.h"

namespace karst::lab {

// Bytes that tell where they belong: byte `offset` of stream `stream` is the same for everyone. The
// pattern repeats after a prime number of bytes, which no frame, record or window divides, so that
// a piece that is lost, doubled or misplaced does not match.
class Pattern {
 public:
  explicit Pattern(std::uint64_t stream);

  // The bytes from `offset` on, as many as lie in a row, at least kRun of them. Valid for ever.
  static constexpr std::size_t kRun = std::size_t{256} << 10;
  Bytes from(std::uint64_t offset) const;
  bool matches(Bytes data, std::uint64_t offset) const;

 private:
  std::uint64_t shift_;
};

}  // namespace karst::lab
