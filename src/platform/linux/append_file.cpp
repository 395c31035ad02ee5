#include "platform/linux/append_file.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "platform/linux/file_error.h"

namespace karst::platform {

Result<AppendFile> AppendFile::open(const std::string& path, FileCalls& calls) {
  constexpr int kFlags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  UniqueFd fd(calls.open(path.c_str(), kFlags | O_CREAT, 0600));
  if (!fd.valid()) return file_error(errno);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return file_error(errno);
  if (!S_ISREG(status.st_mode)) return kFileNotRegular;
  TRY(sync_folder_of(path, calls));
  return AppendFile(std::move(fd), status.st_size, calls);
}

Result<void> AppendFile::append(Bytes bytes) {
  if (torn_) TRY(cut_back());
  if (write_all(*calls_, fd_.get(), bytes) && calls_->fdatasync(fd_.get()) == 0) {
    size_ += static_cast<std::int64_t>(bytes.size());
    return {};
  }
  const Error error = file_error(errno);
  torn_ = true;
  // Its own failure is remembered in torn_.
  static_cast<void>(cut_back());
  return error;
}

Result<void> AppendFile::cut_back() {
  if (calls_->ftruncate(fd_.get(), size_) != 0) return file_error(errno);
  torn_ = false;
  return {};
}

}  // namespace karst::platform
