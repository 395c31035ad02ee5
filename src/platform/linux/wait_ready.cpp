#include "platform/linux/wait_ready.h"

#include <poll.h>

#include <cerrno>

#include "driver/ports.h"
#include "platform/linux/clock.h"
#include "platform/linux/io_error.h"

namespace karst::platform {

Result<void> wait_ready(int fd, short events, TimePoint deadline) {
  for (;;) {
    const timespec timeout = to_timespec(deadline - monotonic_now());
    pollfd wait{.fd = fd, .events = events, .revents = 0};
    const int ready = ::ppoll(&wait, 1, &timeout, nullptr);
    if (ready > 0) return {};
    if (ready == 0) return driver::kTimedOut;
    if (errno != EINTR) return io_error(errno);
  }
}

}  // namespace karst::platform
