#pragma once

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/linux/read_file.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A folder of the test's own, which goes away with all files in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_(testing::TempDir() + "karst_XXXXXX") {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr);
  }
  ~TemporaryFolder() {
    for (const std::string& name : names()) ::unlink(file(name).c_str());
    EXPECT_EQ(::rmdir(path_.c_str()), 0);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(::opendir(path_.c_str()), &::closedir);
    while (const dirent* entry = ::readdir(folder.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") out.push_back(name);
    }
    return out;
  }
  void put(std::string_view name, std::string_view text, mode_t mode = 0600) const {
    const UniqueFd fd(::open(file(name).c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode));
    EXPECT_EQ(::write(fd.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
    EXPECT_EQ(::fchmod(fd.get(), mode), 0);
  }
  // "(none)" when there is no such file.
  std::string text(std::string_view name) const {
    const auto read = read_file(file(name), 1 << 20);
    return read.ok() ? std::string(as_text(*read)) : "(none)";
  }
  mode_t mode(std::string_view name) const {
    struct stat status{};
    return ::stat(file(name).c_str(), &status) == 0 ? status.st_mode & 07777u : 0;
  }

 private:
  std::string path_;
};

// Runs `test` in a process of its own, for what cannot be undone in this one; whether it held.
template <class Test>
bool holds_in_child(Test test) {
  std::fflush(nullptr);  // or both would print what waits
  const pid_t child = ::fork();
  if (child == 0) ::_exit(test() ? 0 : 1);
  int status = -1;
  return ::waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace karst::platform
