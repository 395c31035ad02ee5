#include "platform/linux/state_directory.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "platform/linux/file_error.h"

namespace karst::platform {

Result<StateDirectory> StateDirectory::open(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return file_error(errno);
  // The directory is its own lock file: flock() needs nothing but an open descriptor.
  UniqueFd lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.valid()) return file_error(errno);
  struct stat status{};
  if (::fstat(lock.get(), &status) != 0) return file_error(errno);
  if (status.st_uid != ::geteuid()) return kStateForeign;
  if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return kStateExposed;
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return errno == EWOULDBLOCK ? Error(kStateLocked) : file_error(errno);
  }
  return StateDirectory(path, std::move(lock));
}

}  // namespace karst::platform
