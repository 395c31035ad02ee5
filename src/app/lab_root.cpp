#include "app/lab_root.h"

#include <unistd.h>

#include <filesystem>

#include "platform/linux/net_namespace.h"

namespace karst::app {

Outcome<void> become_lab_root() {
  if (::geteuid() == 0) return {};
  const auto became = platform::become_root_of_user_namespace();
  if (!became.ok()) return std::unexpected(Failure{describe(became.error())});
  return {};
}

std::string own_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

}  // namespace karst::app
