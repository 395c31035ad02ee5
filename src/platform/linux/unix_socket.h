#pragma once

#include <string>

#include "base/result.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A Unix stream socket that listens at `path` with mode 0600, or one that is connected to it.
// Errors are those of driver/ports.h. Both are non-blocking.
Result<UniqueFd> listen_unix(const std::string& path);
Result<UniqueFd> connect_unix(const std::string& path);

// Whether the process at the other end ran as our user, or as root, when it connected.
bool peer_is_trusted(int fd);

}  // namespace karst::platform
