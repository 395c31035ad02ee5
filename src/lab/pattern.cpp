#include "lab/pattern.h"

#include <algorithm>

#include "base/prng.h"

namespace karst::lab {
namespace {

constexpr std::size_t kPeriod = 1'048'573;  // the largest prime under 2^20

// One period and the beginning of the next.
const ByteVector& block() {
  static const ByteVector bytes = [] {
    ByteVector out(kPeriod + Pattern::kRun);
    Prng prng(0x6b617273);
    prng.fill(MutableBytes(out).first(kPeriod));
    std::copy_n(out.begin(), Pattern::kRun, out.begin() + kPeriod);
    return out;
  }();
  return bytes;
}

}  // namespace

Pattern::Pattern(std::uint64_t stream) : shift_(stream * 7919 % kPeriod) {}

Bytes Pattern::from(std::uint64_t offset) const {
  return Bytes(block()).subspan(static_cast<std::size_t>((offset + shift_) % kPeriod));
}

bool Pattern::matches(Bytes data, std::uint64_t offset) const {
  while (!data.empty()) {
    const Bytes wanted = from(offset);
    const std::size_t count = std::min(data.size(), wanted.size());
    if (!equal(data.first(count), wanted.first(count))) return false;
    data = data.subspan(count);
    offset += count;
  }
  return true;
}

}  // namespace karst::lab
