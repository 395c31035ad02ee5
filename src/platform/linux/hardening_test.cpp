#include "platform/linux/hardening.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "platform/linux/temporary_folder_for_test.h"

namespace karst::platform {
namespace {

TEST(Hardening, forbids_core_dumps_and_debuggers) {
  EXPECT_TRUE(holds_in_child([] {
    if (!forbid_dumps().ok()) return false;
    rlimit limit{};
    ::getrlimit(RLIMIT_CORE, &limit);
    return limit.rlim_cur == 0 && limit.rlim_max == 0 && ::prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
  }));
}

TEST(Hardening, forbids_new_privileges) {
  EXPECT_TRUE(holds_in_child([] {
    return forbid_new_privileges().ok() && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  }));
}

TEST(Hardening, raises_the_limit_of_open_files_to_what_is_allowed) {
  EXPECT_TRUE(holds_in_child([] {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 64;
    ::setrlimit(RLIMIT_NOFILE, &limit);
    const auto raised = raise_open_files();
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return raised.ok() && *raised == limit.rlim_max && limit.rlim_cur == limit.rlim_max;
  }));
}

// Kilobytes of this process that cannot be swapped out.
long locked_kilobytes() {
  const auto status = read_file("/proc/self/status", 65536);
  const std::string_view text = as_text(*status);
  const std::size_t at = text.find("VmLck:");
  return std::strtol(std::string(text.substr(at + 6, 20)).c_str(), nullptr, 10);
}

TEST(Hardening, locks_memory_where_it_may) {
  if (::geteuid() != 0) GTEST_SKIP() << "locking without a limit needs root";
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr bool kIsReal = false;  // sanitizers replace mlockall() by nothing
#else
  constexpr bool kIsReal = true;
#endif
  EXPECT_TRUE(holds_in_child(
      [] { return lock_memory() == MemoryLock::locked && (locked_kilobytes() > 0) == kIsReal; }));
}

TEST(Hardening, does_not_lock_memory_under_a_limit_that_allocations_would_hit) {
  EXPECT_TRUE(holds_in_child([] {
    const rlimit small{.rlim_cur = 1 << 20, .rlim_max = 1 << 20};
    if (::setrlimit(RLIMIT_MEMLOCK, &small) != 0) return false;
    if (::geteuid() == 0 && ::setuid(12345) != 0) return false;
    return lock_memory() == MemoryLock::not_permitted && locked_kilobytes() == 0;
  }));
}

}  // namespace
}  // namespace karst::platform
