#pragma once

#include <sys/types.h>

#include <string>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::platform {

// The system calls by which files are written, so that a test can make any one of them fail.
// Each returns what the call of the same name returns, and leaves errno.
class FileCalls {
 public:
  virtual ~FileCalls() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual ssize_t write(int fd, Bytes bytes);
  virtual int fsync(int fd);
  virtual int fdatasync(int fd);
  virtual int ftruncate(int fd, off_t length);
  virtual int rename(const char* from, const char* to);
  virtual int exchange(const char* one, const char* other);
  // Renames, but never over something: EEXIST.
  virtual int rename_new(const char* from, const char* to);
  virtual int unlink(const char* path);
};

// The real ones.
FileCalls& os_file_calls();

// Writes all bytes; false, with errno, when not all could be written.
bool write_all(FileCalls& calls, int fd, Bytes bytes);
// Makes the name `path` in its folder durable.
Result<void> sync_folder_of(const std::string& path, FileCalls& calls);

}  // namespace karst::platform
