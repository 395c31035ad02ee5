#pragma once

#include <algorithm>
#include <string>

#include "base/byte_queue.h"
#include "base/bytes.h"
#include "base/prng.h"

namespace karst::stream::proxy {

// What the fuzz targets of this folder share: the same input whole and in pieces.
enum class Pieces { whole, random };

template <class Take>
void feed(Bytes bytes, Pieces pieces, Take take) {
  if (pieces == Pieces::whole) return take(bytes);
  Prng prng(bytes.size());
  while (!bytes.empty()) {
    const std::size_t count = std::min<std::size_t>(bytes.size(), 1 + prng.below(9));
    take(bytes.first(count));
    bytes = bytes.subspan(count);
  }
}

inline std::string contents(const ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  return out;
}

}  // namespace karst::stream::proxy
