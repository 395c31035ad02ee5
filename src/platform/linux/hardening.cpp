#include "platform/linux/hardening.h"

#include <linux/capability.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "platform/linux/io_error.h"

namespace karst::platform {
namespace {

bool has_capability(std::uint32_t capability) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return false;
  return (data[capability / 32].effective >> capability % 32 & 1) != 0;
}

bool may_lock_without_limit() {
  // Permitted to whoever may raise limits, and to everyone whose limit is infinite already.
  const rlimit unlimited{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
  return ::setrlimit(RLIMIT_MEMLOCK, &unlimited) == 0 || has_capability(CAP_IPC_LOCK);
}

}  // namespace

Result<void> forbid_dumps() {
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  if (::setrlimit(RLIMIT_CORE, &none) != 0) return io_error(errno);
  if (::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0) return io_error(errno);
  return {};
}

Result<void> forbid_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return io_error(errno);
  return {};
}

Result<std::uint64_t> raise_open_files() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return io_error(errno);
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) return io_error(errno);
  return limit.rlim_cur;
}

void keep_freed_memory() { ::mallopt(M_TRIM_THRESHOLD, 8 << 20); }

MemoryLock lock_memory() {
  if (!may_lock_without_limit()) return MemoryLock::not_permitted;
  // On fault: memory that is reserved and never touched costs nothing.
  const bool locked = ::mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT) == 0;
  return locked ? MemoryLock::locked : MemoryLock::not_permitted;
}

}  // namespace karst::platform
