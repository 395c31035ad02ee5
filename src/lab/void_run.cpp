#include "lab/void_run.h"

#include "lab/format.h"
#include "lab/own_faults.h"

namespace karst::lab {
std::optional<std::string> void_reason(const Cell& cell, const LinkRunner::Report& wire) {
  OwnFaults faults;
  faults.add(wire);
  if (faults.lost > 0) {
    return format("the emulator itself lost %llu packets",
                  static_cast<unsigned long long>(faults.lost));
  }
  const Duration allowed = OwnFaults::late_allowed(std::chrono::milliseconds(cell.rtt_ms));
  if (faults.late_max <= allowed) return std::nullopt;
  const auto ms = [](Duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
  };
  return format("the emulator gave a packet %.1f ms too late, of %.1f allowed", ms(faults.late_max),
                ms(allowed));
}

}  // namespace karst::lab
