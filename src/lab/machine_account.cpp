#include "lab/machine_account.h"

#include <sstream>
#include <string>

#include "lab/run_command.h"

namespace karst::lab {

MachineAccount machine_account() {
  // "cpu", then user, nice, system, idle, iowait, irq, softirq, steal; guest time is in user.
  constexpr int kFields = 8;
  std::istringstream line(read_text("/proc/stat"));
  std::string name;
  line >> name;
  MachineAccount out;
  std::uint64_t ticks = 0;
  for (int field = 0; field < kFields && line >> ticks; ++field) {
    out.total += ticks;
    if (field == 3 || field == 4) out.idle += ticks;
  }
  return out;
}

double idle_share(const MachineAccount& from, const MachineAccount& to) {
  if (to.total <= from.total) return 1;
  return static_cast<double>(to.idle - from.idle) / static_cast<double>(to.total - from.total);
}

}  // namespace karst::lab
