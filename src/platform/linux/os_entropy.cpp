#include "platform/linux/os_entropy.h"

#include <sys/random.h>

#include <cerrno>

#include "base/check.h"

namespace karst::platform {

void OsEntropy::fill(MutableBytes out) {
  while (!out.empty()) {
    const ssize_t got = ::getrandom(out.data(), out.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    CHECK(got > 0);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace karst::platform
