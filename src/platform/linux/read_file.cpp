#include "platform/linux/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "platform/linux/file_error.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {
namespace {

// Whoever takes an absent file for an empty one must not be misled by a link to a place that is not
// there now, such as a disk that is not mounted.
Error open_error(int errno_value, const std::string& path) {
  struct stat status{};
  if (errno_value == ENOENT && ::lstat(path.c_str(), &status) == 0) return kFileLinkBroken;
  return file_error(errno_value);
}

struct OpenFile {
  UniqueFd fd;
  struct stat status{};
};

Result<OpenFile> open_regular(const std::string& path) {
  OpenFile file;
  // O_NONBLOCK: opening a pipe must not wait for its other end.
  file.fd = UniqueFd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.fd.valid()) return open_error(errno, path);
  if (::fstat(file.fd.get(), &file.status) != 0) return file_error(errno);
  if (!S_ISREG(file.status.st_mode)) return kFileNotRegular;
  return file;
}

// Reads to the end of the file through `space` and gives each piece to `take`.
template <class Take>
Result<void> read_all(int fd, std::size_t bytes_max, MutableBytes space, Take take) {
  std::size_t total = 0;
  for (;;) {
    const ssize_t got = ::read(fd, space.data(), space.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return file_error(errno);
    if (got == 0) return {};
    const auto count = static_cast<std::size_t>(got);
    if (count > bytes_max - total) return kFileTooLarge;
    total += count;
    take(Bytes(space).first(count));
  }
}

}  // namespace

Result<ByteVector> read_file(const std::string& path, std::size_t bytes_max) {
  TRY_ASSIGN(const OpenFile file, open_regular(path));
  ByteVector out;
  std::array<std::uint8_t, 64 * 1024> space;
  TRY(read_all(file.fd.get(), bytes_max, space,
               [&](Bytes piece) { out.insert(out.end(), piece.begin(), piece.end()); }));
  return out;
}

Result<crypto::SecretBytes> read_secret_file(const std::string& path, std::size_t bytes_max) {
  TRY_ASSIGN(const OpenFile file, open_regular(path));
  if ((file.status.st_mode & (S_IRWXG | S_IRWXO)) != 0) return kFileExposed;
  if (file.status.st_uid != ::geteuid() && file.status.st_uid != 0) return kFileForeign;
  // What grows while it is read is too large; no secret file does, since each is replaced whole.
  const auto size = static_cast<std::size_t>(std::max<off_t>(file.status.st_size, 4096));
  bytes_max = std::min(bytes_max, size);
  crypto::SecretBytes out(bytes_max);
  std::array<std::uint8_t, 4096> space;
  const Result<void> read =
      read_all(file.fd.get(), bytes_max, space, [&](Bytes piece) { out.append(piece); });
  crypto::wipe(space);
  TRY(read);
  return out;
}

}  // namespace karst::platform
