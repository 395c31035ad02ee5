#include "platform/linux/atomic_write.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "platform/linux/file_error.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {
namespace {

// In the same folder, since only there it can take the place of `path`. The name is fixed: what a
// crash leaves behind goes with the next write.
std::string temporary_name(const std::string& path) { return path + ".new"; }

Result<void> write_temporary(const std::string& name, Bytes bytes, FileAccess access,
                             FileCalls& calls) {
  if (calls.unlink(name.c_str()) != 0 && errno != ENOENT) return file_error(errno);
  const mode_t mode = access == FileAccess::secret ? 0600 : 0644;
  const UniqueFd fd(
      calls.open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode));
  if (!fd.valid()) return file_error(errno);
  if (!write_all(calls, fd.get(), bytes) || calls.fsync(fd.get()) != 0) return file_error(errno);
  return {};
}

// Exchanging keeps the old file until the new one is known to stay.
Result<void> put_in_place(const char* temporary, const std::string& path, FileCalls& calls) {
  if (calls.exchange(temporary, path.c_str()) == 0) {
    const Result<void> synced = sync_folder_of(path, calls);
    if (!synced.ok()) calls.exchange(temporary, path.c_str());
    return synced;
  }
  const bool nothing_there = errno == ENOENT;
  const bool cannot_exchange = errno == EINVAL || errno == ENOSYS;
  if (!nothing_there && !cannot_exchange) return file_error(errno);
  if (calls.rename(temporary, path.c_str()) != 0) return file_error(errno);
  const Result<void> synced = sync_folder_of(path, calls);
  if (!synced.ok() && nothing_there) calls.unlink(path.c_str());
  return synced;
}

Result<void> put_in_new_place(const char* temporary, const std::string& path, FileCalls& calls) {
  if (calls.rename_new(temporary, path.c_str()) != 0) return file_error(errno);
  const Result<void> synced = sync_folder_of(path, calls);
  if (!synced.ok()) calls.unlink(path.c_str());
  return synced;
}

}  // namespace

Result<void> atomic_create(const std::string& path, Bytes bytes, FileAccess access,
                           FileCalls& calls) {
  struct stat there{};
  if (::lstat(path.c_str(), &there) == 0) return kFileExists;
  const std::string temporary = temporary_name(path);
  Result<void> result = write_temporary(temporary, bytes, access, calls);
  if (result.ok()) result = put_in_new_place(temporary.c_str(), path, calls);
  calls.unlink(temporary.c_str());
  return result;
}

Result<void> atomic_write(const std::string& path, Bytes bytes, FileAccess access,
                          FileCalls& calls) {
  struct stat old{};
  if (::lstat(path.c_str(), &old) == 0 && !S_ISREG(old.st_mode)) return kFileNotRegular;
  const std::string temporary = temporary_name(path);
  Result<void> result = write_temporary(temporary, bytes, access, calls);
  if (result.ok()) result = put_in_place(temporary.c_str(), path, calls);
  // By now this is a new file that failed, or the old one after its replacement, or nothing.
  calls.unlink(temporary.c_str());
  return result;
}

}  // namespace karst::platform
