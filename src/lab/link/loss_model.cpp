#include "lab/link/loss_model.h"

namespace karst::lab {

LossModel::LossModel(const DirectionSettings& settings, std::uint64_t seed)
    : loss_(settings.loss),
      bursts_(settings.bursts),
      duplicate_(settings.duplicate),
      reorder_(settings.reorder),
      jitter_(settings.jitter),
      prng_(seed) {}

// Every segment takes the same numbers from the generator, whatever becomes of it.
LossModel::Fate LossModel::next() {
  Fate fate;
  fate.lost = chance(loss_);
  fate.duplicated = chance(duplicate_);
  fate.reordered = chance(reorder_);
  const auto range = static_cast<std::uint64_t>(jitter_.count()) + 1;
  fate.jitter = Duration(static_cast<std::int64_t>(prng_.below(range)));
  if (bursts_) {
    bad_ = bad_ ? !chance(bursts_->leave) : chance(bursts_->enter);
    if (chance(bad_ ? bursts_->bad : bursts_->good)) fate.lost = true;
  }
  return fate;
}

bool LossModel::chance(Chance chance) { return prng_.chance(chance.parts_per_billion, kCertain); }

}  // namespace karst::lab
