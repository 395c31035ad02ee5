#include "lab/void_run.h"

#include <algorithm>

#include "lab/format.h"

namespace karst::lab {
namespace {

// What a busy kernel costs the emulator on a path of any length.
constexpr double kLateMs = 10;

}  // namespace

std::optional<std::string> void_reason(const Cell& cell, const LinkRunner::Report& wire) {
  const std::uint64_t own = wire.write_failures + wire.forward.overrun + wire.back.overrun;
  if (own > 0) {
    return format("the emulator itself lost %llu packets", static_cast<unsigned long long>(own));
  }
  const double late =
      std::chrono::duration<double, std::milli>(std::max(wire.forward.late_max, wire.back.late_max))
          .count();
  const double allowed = kLateMs + cell.rtt_ms / 10.0;
  if (late <= allowed) return std::nullopt;
  return format("the emulator gave a packet %.1f ms too late, of %.1f allowed", late, allowed);
}

}  // namespace karst::lab
