#include "app/human_text.h"

#include <array>
#include <cstdio>

namespace karst::app {

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
  } else {
    std::snprintf(out, sizeof(out), "%ld d %ld h", total / 86'400, total % 86'400 / 3600);
  }
  return out;
}

std::string counted(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace karst::app
