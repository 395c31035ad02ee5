#include "platform/linux/file_error.h"

#include <cerrno>

namespace karst::platform {

Error file_error(int errno_value) {
  switch (errno_value) {
    case ENOENT:
      return kFileNotFound;
    case EEXIST:
      return kFileExists;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
      return kFileNotRegular;
    case EACCES:
    case EPERM:
      return kFilePermission;
    case ENOSPC:
    case EDQUOT:
      return kDiskFull;
    case EROFS:
      return kDiskReadOnly;
    default:
      return Error(kFileSystem, errno_value);
  }
}

}  // namespace karst::platform
