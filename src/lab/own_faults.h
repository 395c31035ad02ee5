#pragma once

#include "lab/link_runner.h"

namespace karst::lab {

// What the emulator itself did wrong, over several stretches: each start over of a link makes it
// forget.
struct OwnFaults {
  std::uint64_t lost = 0;
  Duration late_max{};

  void add(const LinkRunner::Report& stretch);
  // How late an emulator may be on a path with this round trip without distorting what is measured.
  static Duration late_allowed(Duration round_trip);
};

}  // namespace karst::lab
