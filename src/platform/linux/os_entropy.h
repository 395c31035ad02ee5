#pragma once

#include "base/entropy.h"

namespace karst::platform {

// getrandom(2). Waits, early in a boot only, until the kernel's generator has been seeded.
class OsEntropy final : public Entropy {
 public:
  void fill(MutableBytes out) override;
};

}  // namespace karst::platform
