#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.h"
#include "base/entropy.h"

namespace karst {

// xoshiro256** seeded through splitmix64: the same numbers on every machine and with every
// library. For jitter, simulation and tests; never for keys.
class Prng {
 public:
  explicit Prng(std::uint64_t seed);

  std::uint64_t next();
  // Uniform in [0, bound); bound must not be 0.
  std::uint64_t below(std::uint64_t bound);
  // True with probability numerator / denominator.
  bool chance(std::uint64_t numerator, std::uint64_t denominator);
  void fill(MutableBytes out);

 private:
  std::array<std::uint64_t, 4> state_;
};

// Entropy for tests and the simulator: the same seed gives the same keys.
class SeededEntropy final : public Entropy {
 public:
  explicit SeededEntropy(std::uint64_t seed) : prng_(seed) {}
  void fill(MutableBytes out) override { prng_.fill(out); }

 private:
  Prng prng_;
};

}  // namespace karst
