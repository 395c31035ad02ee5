#include "platform/linux/site_loader.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include "platform/linux/unique_fd.h"

namespace karst::platform {
namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

Error unreadable() { return Error(kSiteUnreadable, errno); }

bool is_hidden(std::string_view name) { return name.starts_with('.') && name != ".well-known"; }

bool has_control(std::string_view name) {
  return std::ranges::any_of(
      name, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

class Loader {
 public:
  explicit Loader(const SiteLimits& limits) : limits_(limits) {}

  // `path` ends with a slash. Takes the descriptor.
  Result<void> read_folder(int fd, const std::string& path, std::size_t depth) {
    const Folder folder(::fdopendir(fd));
    if (!folder) {
      const Error error = unreadable();
      ::close(fd);
      return error;
    }
    if (depth > limits_.depth) return kSiteTooMany;
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(folder.get());
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      TRY(read_entry(::dirfd(folder.get()), path, name, depth));
    }
    if (errno != 0) return unreadable();
    return {};
  }

  LoadedSite take() {
    std::ranges::sort(site_.left_out);
    return std::move(site_);
  }

 private:
  Result<void> read_entry(int folder, const std::string& path, const std::string& name,
                          std::size_t depth) {
    if (has_control(name)) return leave_out(path, "a name with control characters");
    if (is_hidden(name)) return leave_out(path + name, "hidden");
    // Neither a link nor a pipe without a writer can lead or hold us anywhere.
    UniqueFd fd(::openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd.valid()) {
      if (errno == ELOOP) return leave_out(path + name, "a symbolic link");
      if (errno == ENXIO) return leave_out(path + name, "not a file");  // a socket
      return unreadable();
    }
    struct stat status;
    if (::fstat(fd.get(), &status) != 0) return unreadable();
    if (S_ISDIR(status.st_mode)) {
      return read_folder(fd.release(), path + name + "/", depth + 1);
    }
    if (!S_ISREG(status.st_mode)) return leave_out(path + name, "not a file");
    return read_file(fd.get(), path + name, UnixTime{status.st_mtim.tv_sec});
  }

  Result<void> read_file(int fd, const std::string& path, UnixTime modified) {
    if (site_.files.size() == limits_.files) return kSiteTooMany;
    ByteVector body;
    while (true) {
      constexpr std::size_t kStep = 64 * 1024;
      const std::size_t have = body.size();
      body.resize(have + kStep);
      const ssize_t got = ::read(fd, body.data() + have, kStep);
      body.resize(have + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return unreadable();
      if (got == 0) break;
      // The size is what was read, whatever the file's was when it was opened.
      if (body.size() > limits_.file_bytes) return leave_out(path, "too large");
    }
    if (body.size() > limits_.total_bytes - total_bytes_) return kSiteTooLarge;
    total_bytes_ += body.size();
    body.shrink_to_fit();
    site_.files.emplace(path, stream::cover::File{std::move(body), modified});
    return {};
  }

  Result<void> leave_out(const std::string& path, std::string_view why) {
    // Whoever has more of these than files does not read a list of them.
    if (site_.left_out.size() < limits_.files) {
      site_.left_out.push_back(path + ": " + std::string(why));
    }
    return {};
  }

  SiteLimits limits_;
  LoadedSite site_;
  std::size_t total_bytes_ = 0;
};

}  // namespace

Result<LoadedSite> load_site(const std::string& folder, const SiteLimits& limits) {
  const int root = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (root < 0) return unreadable();
  Loader loader(limits);
  TRY(loader.read_folder(root, "/", 0));
  return loader.take();
}

}  // namespace karst::platform
