#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

inline constexpr ErrorKind kStateLocked{"state", "locked",
                                        "another karst process uses this state directory"};
inline constexpr ErrorKind kStateExposed{
    "state", "exposed",
    "other users may enter or change the state directory; run: chmod 700 DIRECTORY"};
inline constexpr ErrorKind kStateForeign{
    "state", "foreign",
    "the state directory belongs to another user; run: chown USER DIRECTORY, with the user karst "
    "runs as"};

// The directory in which one daemon keeps its keys and logs. While the object lives no other one
// can be made for the same directory, in this process or another; the lock goes with the process,
// however it ends.
class StateDirectory {
 public:
  // Makes the directory, with mode 0700, when it is missing; its parent must be there. kStateLocked
  // and the others above; the errors of file_error.h.
  static Result<StateDirectory> open(const std::string& path);

  std::string file(std::string_view name) const { return path_ + '/' + std::string(name); }

 private:
  StateDirectory(std::string path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::string path_;
  UniqueFd lock_;
};

}  // namespace karst::platform
