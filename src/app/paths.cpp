#include "app/paths.h"

namespace karst::app {

Paths find_paths(const std::optional<std::filesystem::path>& directory,
                 const Environment& environment) {
  if (directory) return {*directory, *directory / "state", *directory / "run"};
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

}  // namespace karst::app
