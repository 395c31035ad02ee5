#pragma once

#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "platform/linux/file_calls.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A file that only grows, such as the replay log. It is the file that had this name when it was
// opened: after another has taken its place (atomic_write.h) it must be opened again, or what is
// appended is lost with the last descriptor. It waits for the disk, so it is no work for the
// thread of the loop (worker.h).
class AppendFile {
 public:
  // Creates the file with mode 0600 when it is missing, durably.
  static Result<AppendFile> open(const std::string& path, FileCalls& calls = os_file_calls());

  // When it returns, the bytes are on the disk. After an error the file is cut back to what it
  // was; should that fail too, the next append does it first, and fails while it cannot.
  Result<void> append(Bytes bytes);
  std::int64_t size() const { return size_; }

 private:
  AppendFile(UniqueFd fd, std::int64_t size, FileCalls& calls)
      : fd_(std::move(fd)), size_(size), calls_(&calls) {}
  Result<void> cut_back();

  UniqueFd fd_;
  std::int64_t size_;
  bool torn_ = false;
  FileCalls* calls_;
};

}  // namespace karst::platform
