#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "platform/linux/file_calls.h"

namespace karst::platform {

enum class FileAccess : std::uint8_t {
  secret,   // mode 0600
  readable  // mode 0644, less the umask
};

// Replaces the file by one with these bytes, or creates it. When it returns, the new content is on
// the disk; at a crash in between there is the old file or the new one, whole. After an error the
// old file stands (or there is none, as before) and nothing of the new one is left. It waits for
// the disk, so it is no work for the thread of the loop (worker.h). One writer per file at a time.
//
// On a file system that cannot exchange two files, a failure of the very last step, the sync of
// the folder, leaves the new file.
Result<void> atomic_write(const std::string& path, Bytes bytes, FileAccess access,
                          FileCalls& calls = os_file_calls());

// The same for a file that must not be there yet: kFileExists if anything has its name, however
// late it came, and that stands.
Result<void> atomic_create(const std::string& path, Bytes bytes, FileAccess access,
                           FileCalls& calls = os_file_calls());

}  // namespace karst::platform
