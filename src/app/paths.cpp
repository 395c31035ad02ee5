#include "app/paths.h"

namespace karst::app {

Paths find_paths(const std::optional<std::filesystem::path>& directory,
                 const Environment& environment) {
  if (directory) return {*directory, *directory / "state", *directory / "run"};
  if (environment.root) return {"/etc/karst", "/var/lib/karst", "/run/karst"};
  const std::filesystem::path home = environment.home;
  const auto or_else = [](const std::string& value, const std::filesystem::path& fallback) {
    return value.empty() ? fallback : std::filesystem::path(value);
  };
  const auto state = or_else(environment.state_home, home / ".local/state") / "karst";
  return {or_else(environment.config_home, home / ".config") / "karst", state,
          environment.runtime_dir.empty()
              ? state / "run"
              : std::filesystem::path(environment.runtime_dir) / "karst"};
}

}  // namespace karst::app
