#include "platform/linux/descriptor_reserve.h"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>

#include "platform/linux/unique_fd.h"

namespace karst::platform {

bool in_reserve(int descriptor) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  const rlim_t reserved = std::min<rlim_t>(kReservedDescriptors, limit.rlim_cur / 4);
  return static_cast<rlim_t>(descriptor) >= limit.rlim_cur - reserved;
}

bool only_reserve_left() {
  const UniqueFd next(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
  return !next.valid() || in_reserve(next.get());
}

}  // namespace karst::platform
