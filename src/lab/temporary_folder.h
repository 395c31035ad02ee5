#pragma once

#include <expected>
#include <string>

namespace karst::lab {

// A folder that only we can read, for keys and configurations of what is measured. It goes with
// this object, and all that is in it.
class TemporaryFolder {
 public:
  // The error is a sentence.
  static std::expected<TemporaryFolder, std::string> make();

  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  ~TemporaryFolder();

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  explicit TemporaryFolder(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

}  // namespace karst::lab
