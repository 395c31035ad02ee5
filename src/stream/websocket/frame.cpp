#include "stream/websocket/frame.h"

#include <cstring>

#include "base/check.h"

namespace karst::stream::websocket {
namespace {

std::uint64_t load(const std::uint8_t* from) {
  std::uint64_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

void store(std::uint8_t* to, std::uint64_t word) { std::memcpy(to, &word, sizeof word); }

}  // namespace

void mask_copy(MutableBytes to, Bytes from, MaskKey key, std::size_t phase) {
  CHECK(to.size() >= from.size());
  std::uint8_t pattern[8];
  for (std::size_t i = 0; i < 8; ++i) pattern[i] = key[(phase + i) % 4];
  const std::uint64_t word = load(pattern);
  std::uint8_t* out = to.data();
  const std::uint8_t* in = from.data();
  std::size_t left = from.size();
  for (; left >= 32; left -= 32, in += 32, out += 32) {
    const std::uint64_t a = load(in) ^ word;
    const std::uint64_t b = load(in + 8) ^ word;
    const std::uint64_t c = load(in + 16) ^ word;
    const std::uint64_t d = load(in + 24) ^ word;
    store(out, a);
    store(out + 8, b);
    store(out + 16, c);
    store(out + 24, d);
  }
  for (; left >= 8; left -= 8, in += 8, out += 8) store(out, load(in) ^ word);
  for (std::size_t i = 0; i < left; ++i) out[i] = in[i] ^ pattern[i];
}

}  // namespace karst::stream::websocket
