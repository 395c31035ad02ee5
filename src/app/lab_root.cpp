#include "app/lab_root.h"

#include <unistd.h>

#include <filesystem>

#include "app/commands.h"
#include "platform/linux/net_namespace.h"

namespace karst::app {

Outcome<void> become_lab_root() {
  if (::geteuid() == 0) return {};
  const auto became = platform::become_root_of_user_namespace();
  if (!became.ok()) return std::unexpected(Failure{describe(became.error())});
  return {};
}

int fail_run(const lab::RunError& error) {
  return fail({error.text, error.path_failed ? kExitVoid : kExitFailed});
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace karst::app
