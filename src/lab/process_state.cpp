#include "lab/process_state.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>

#include "platform/linux/read_file.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTextBytesMax = std::size_t{64} << 10;

std::string path_of(pid_t pid, const char* file) {
  return "/proc/" + std::to_string(pid) + "/" + file;
}

std::string read_text(const std::string& path) {
  const auto bytes = platform::read_file(path, kTextBytesMax);
  return bytes.ok() ? std::string(as_text(*bytes)) : std::string();
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

// Fields 14 and 15 of /proc/PID/stat (proc(5)): they follow the name, which may hold anything.
Duration cpu_time(pid_t pid) {
  const std::string stat = read_text(path_of(pid, "stat"));
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(stat.substr(name_end + 2));
  std::string skipped;
  for (int i = 0; i < 11; ++i) rest >> skipped;
  long user = 0;
  long system = 0;
  rest >> user >> system;
  return (user + system) * (1'000'000'000ns / ::sysconf(_SC_CLK_TCK));
}

}  // namespace karst::lab
