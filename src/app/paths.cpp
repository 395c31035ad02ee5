#include "app/paths.h"

#include <algorithm>
#include <string_view>

namespace karst::app {

Paths find_paths(const std::optional<std::filesystem::path>& directory,
                 const Environment& environment) {
  if (directory) return {*directory, *directory / "state", *directory / "run", true};
  if (environment.root) return {"/etc/karst", "/var/lib/karst", "/run/karst"};
  const std::filesystem::path home = environment.home;
  // The XDG specification has relative paths ignored.
  const auto or_else = [](const std::filesystem::path& value,
                          const std::filesystem::path& fallback) {
    return value.is_absolute() ? value : fallback;
  };
  const auto state = or_else(environment.state_home, home / ".local/state") / "karst";
  const std::filesystem::path runtime = environment.runtime_dir;
  return {or_else(environment.config_home, home / ".config") / "karst", state,
          runtime.is_absolute() ? runtime / "karst" : state / "run"};
}

std::string command_line(const Paths& paths, std::string_view command) {
  std::string out = "karst " + std::string(command);
  if (!paths.one_directory) return out;
  const std::string directory = paths.config.string();
  const bool plain = std::ranges::all_of(directory, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-").contains(c);
  });
  if (plain) return out + " --dir " + directory;
  out += " --dir '";
  for (const char c : directory) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace karst::app
