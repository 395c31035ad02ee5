#include "lab/process_state.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "lab/run_command.h"

namespace karst::lab {
namespace {

std::string path_of(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

// A line "Name:   123 kB" of /proc/PID/status, in bytes.
std::uint64_t status_line(pid_t pid, const std::string& name) {
  std::istringstream file(read_text(path_of(pid, "status")));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(name + ":")) return std::stoull(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

}  // namespace

std::uint64_t resident_bytes(pid_t pid) { return status_line(pid, "VmRSS"); }
std::uint64_t resident_peak_bytes(pid_t pid) { return status_line(pid, "VmHWM"); }

bool forget_resident_peak(pid_t pid) {
  std::ofstream file(path_of(pid, "clear_refs"));
  file << "5" << std::flush;
  return static_cast<bool>(file);
}

std::uint64_t open_descriptors(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator folder(path_of(pid, "fd"), error);
  if (error) return 0;
  std::uint64_t count = 0;
  for (auto at = begin(folder); at != end(folder); at.increment(error)) {
    if (error) break;
    ++count;
  }
  return count;
}

}  // namespace karst::lab
