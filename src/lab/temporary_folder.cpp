#include "lab/temporary_folder.h"

#include <stdlib.h>

#include <filesystem>
#include <utility>

namespace karst::lab {

namespace fs = std::filesystem;

std::expected<TemporaryFolder, std::string> TemporaryFolder::make() {
  std::string name = (fs::temp_directory_path() / "karst-lab-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return std::unexpected("cannot make a temporary folder");
  return TemporaryFolder(std::move(name));
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace karst::lab
