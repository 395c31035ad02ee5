#include "lab/own_faults.h"

#include <algorithm>

namespace karst::lab {
namespace {

// What a busy kernel costs on a path of any length.
constexpr Duration kLateAnywhere = std::chrono::milliseconds(25);

}  // namespace

void OwnFaults::add(const LinkRunner::Report& stretch) {
  lost += stretch.write_failures + stretch.forward.overrun + stretch.back.overrun;
  late_max = std::max({late_max, stretch.forward.late_max, stretch.back.late_max});
}

Duration OwnFaults::late_allowed(Duration round_trip) { return kLateAnywhere + round_trip / 10; }

}  // namespace karst::lab
