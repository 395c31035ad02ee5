#include "app/human_text.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace karst::app {
namespace {

constexpr long kYear = 365 * 86'400;
// Clocks that differ by less than this are as good as any.
constexpr std::int64_t kClockOffsetShown = 90;

}  // namespace

std::string human_rate(double bits) {
  const std::array<const char*, 4> units = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
  std::size_t unit = 0;
  while (bits >= 1000 && unit + 1 < units.size()) {
    bits /= 1000;
    ++unit;
  }
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f %s", bits < 10 && unit > 0 ? 1 : 0, bits, units[unit]);
  return out;
}

std::string human_bytes(double bytes) {
  const std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f %s", bytes < 10 && unit > 0 ? 1 : 0, bytes, units[unit]);
  return out;
}

std::string human_time(double value) {
  const auto total = static_cast<long>(value);
  char out[48];
  if (total < 60) {
    std::snprintf(out, sizeof(out), "%ld s", total);
  } else if (total < 3600) {
    std::snprintf(out, sizeof(out), "%ld min %ld s", total / 60, total % 60);
  } else if (total < 86'400) {
    std::snprintf(out, sizeof(out), "%ld h %ld min", total / 3600, total % 3600 / 60);
  } else if (total < 2 * kYear) {
    std::snprintf(out, sizeof(out), "%ld d %ld h", total / 86'400, total % 86'400 / 3600);
  } else {
    std::snprintf(out, sizeof(out), "%ld years", total / kYear);
  }
  return out;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::vector<std::string> wrapped(const std::string& line, std::size_t margin, std::size_t width) {
  std::vector<std::string> out;
  std::string rest = line;
  while (rest.size() > width) {
    const std::size_t space = rest.rfind(' ', width);
    if (space == rest.npos || space <= margin) break;
    out.push_back(rest.substr(0, space));
    rest = std::string(margin, ' ') + rest.substr(space + 1);
  }
  out.push_back(rest.substr(0, width));
  return out;
}

std::string human_clock_offset(std::int64_t seconds) {
  if (seconds >= -kClockOffsetShown && seconds <= kClockOffsetShown) return "";
  return "this machine is " + human_time(std::abs(static_cast<double>(seconds))) +
         (seconds > 0 ? " ahead of" : " behind") + " the server; one is wrong";
}

}  // namespace karst::app
