#include "platform/linux/file_calls.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>

#include "platform/linux/file_error.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

int FileCalls::open(const char* path, int flags, mode_t mode) { return ::open(path, flags, mode); }
ssize_t FileCalls::write(int fd, Bytes bytes) { return ::write(fd, bytes.data(), bytes.size()); }
int FileCalls::fsync(int fd) { return ::fsync(fd); }
int FileCalls::fdatasync(int fd) { return ::fdatasync(fd); }
int FileCalls::ftruncate(int fd, off_t length) { return ::ftruncate(fd, length); }
int FileCalls::rename(const char* from, const char* to) { return ::rename(from, to); }
int FileCalls::exchange(const char* one, const char* other) {
  return ::renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}
int FileCalls::rename_new(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  // Not on this file system. A link never replaces either.
  if (::link(from, to) != 0) return -1;
  ::unlink(from);
  return 0;
}
int FileCalls::unlink(const char* path) { return ::unlink(path); }

FileCalls& os_file_calls() {
  // Without state of its own.
  static FileCalls calls;
  return calls;
}

bool write_all(FileCalls& calls, int fd, Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = calls.write(fd, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    if (written == 0) {
      errno = EIO;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> sync_folder_of(const std::string& path, FileCalls& calls) {
  const std::size_t slash = path.rfind('/');
  std::string folder = ".";
  if (slash != std::string::npos) folder = slash == 0 ? "/" : path.substr(0, slash);
  const UniqueFd fd(calls.open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0));
  if (!fd.valid() || calls.fsync(fd.get()) != 0) return file_error(errno);
  return {};
}

}  // namespace karst::platform
