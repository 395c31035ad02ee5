#include "lab/process_account.h"

#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>

#include "lab/process_state.h"
#include "lab/run_command.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

// What /proc/PID/stat says (proc(5)).
struct Stat {
  pid_t parent = 0;
  long ticks = 0;  // fields 14 to 17: user and system time, its own and of children waited for
};

std::optional<Stat> stat_of(pid_t pid) {
  const std::string text = read_text("/proc/" + std::to_string(pid) + "/stat");
  // The fields follow the name, which may hold anything.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(name_end + 2));
  std::string skipped;
  Stat stat;
  rest >> skipped >> stat.parent;
  for (int i = 0; i < 9; ++i) rest >> skipped;
  for (int i = 0; i < 4; ++i) {
    long ticks = 0;
    rest >> ticks;
    stat.ticks += ticks;
  }
  return stat;
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t pid) {
  std::vector<std::pair<pid_t, pid_t>> all;  // process, parent
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    pid_t found = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), found);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (const auto stat = stat_of(found)) all.emplace_back(found, stat->parent);
  }
  std::vector<pid_t> family{pid};
  for (std::size_t i = 0; i < family.size(); ++i) {
    for (const auto& [child, parent] : all) {
      if (parent == family[i]) family.push_back(child);
    }
  }
  family.erase(family.begin());
  return family;
}

ProcessAccount account_of(pid_t pid) {
  std::vector<pid_t> family = descendants_of(pid);
  family.push_back(pid);
  ProcessAccount out;
  for (const pid_t member : family) {
    if (const auto stat = stat_of(member)) {
      out.cpu += stat->ticks * (1'000'000'000ns / ::sysconf(_SC_CLK_TCK));
    }
    out.peak_bytes += resident_peak_bytes(member);
  }
  return out;
}

}  // namespace karst::lab
