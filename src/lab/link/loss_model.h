#pragma once

#include <cstdint>

#include "base/prng.h"
#include "lab/link/link_settings.h"

namespace karst::lab {

// Decides what befalls each segment of one direction. A decision depends on the seed and on how
// many segments came before, on nothing else: neither on time nor on how they were joined into
// packets. So the same seed drops the same segments of the same sequence.
class LossModel {
 public:
  LossModel(const DirectionSettings& settings, std::uint64_t seed);

  struct Fate {
    bool lost = false;
    bool duplicated = false;
    bool reordered = false;
    Duration jitter{};
  };
  Fate next();

 private:
  bool chance(Chance chance);

  Chance loss_;
  std::optional<BurstLoss> bursts_;
  Chance duplicate_;
  Chance reorder_;
  Duration jitter_;
  Prng prng_;
  bool bad_ = false;
};

}  // namespace karst::lab
