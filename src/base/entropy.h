#pragma once

#include <array>
#include <cstddef>

#include "base/bytes.h"

namespace karst {

// Where secret and unpredictable bytes come from. The daemon passes the operating system's
// generator (platform/linux/entropy.h), a test or the simulator a seeded one (base/prng.h).
// Not thread-safe: one object per thread.
class Entropy {
 public:
  virtual ~Entropy() = default;
  // Fills all of `out`. Never fails: without entropy the process ends.
  virtual void fill(MutableBytes out) = 0;

  template <std::size_t N>
  std::array<std::uint8_t, N> bytes() {
    std::array<std::uint8_t, N> out;
    fill(out);
    return out;
  }
};

}  // namespace karst
