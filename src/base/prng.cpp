#include "base/prng.h"

#include <bit>

#include "base/check.h"

namespace karst {

__extension__ using Wide = unsigned __int128;

Prng::Prng(std::uint64_t seed) {
  for (auto& word : state_) {
    seed += 0x9e3779b97f4a7c15u;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    word = z ^ (z >> 31);
  }
}

std::uint64_t Prng::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t Prng::below(std::uint64_t bound) {
  CHECK(bound != 0);
  // Lemire's multiplication with rejection: no bias.
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const auto product = static_cast<Wide>(next()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) {
      return static_cast<std::uint64_t>(product >> 64);
    }
  }
}

bool Prng::chance(std::uint64_t numerator, std::uint64_t denominator) {
  return below(denominator) < numerator;
}

void Prng::fill(MutableBytes out) {
  std::size_t i = 0;
  while (i < out.size()) {
    std::uint64_t word = next();
    for (int byte = 0; byte < 8 && i < out.size(); ++byte, ++i) {
      out[i] = static_cast<std::uint8_t>(word);
      word >>= 8;
    }
  }
}

}  // namespace karst
