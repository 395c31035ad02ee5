#pragma once

#include "base/result.h"

namespace karst::platform {

inline constexpr ErrorKind kFileNotFound{"file", "not-found", "the file does not exist"};
inline constexpr ErrorKind kFileLinkBroken{"file", "link-broken",
                                           "this symbolic link leads to nothing"};
inline constexpr ErrorKind kFileExists{"file", "exists", "the file exists already"};
inline constexpr ErrorKind kFileNotRegular{
    "file", "not-regular", "this is a directory, a pipe or a device where a file should be"};
inline constexpr ErrorKind kFileTooLarge{"file", "too-large",
                                         "the file is larger than anything that belongs there"};
inline constexpr ErrorKind kFileExposed{
    "file", "exposed", "other users may read or change this secret file; run: chmod 600 FILE"};
inline constexpr ErrorKind kFileForeign{
    "file", "foreign",
    "this secret file belongs to another user; run: chown USER FILE, with the user karst runs as"};
inline constexpr ErrorKind kFilePermission{"file", "permission-denied",
                                           "the system does not permit this; is root needed?"};
inline constexpr ErrorKind kDiskFull{"file", "disk-full",
                                     "there is no room left on the disk, or in the user's quota"};
inline constexpr ErrorKind kDiskReadOnly{"file", "read-only", "the disk is mounted read-only"};
// detail = errno
inline constexpr ErrorKind kFileSystem{"file", "system", "the file system reported an error"};

// The named error that an errno value of a file call stands for.
Error file_error(int errno_value);

}  // namespace karst::platform
