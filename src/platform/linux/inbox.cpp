#include "platform/linux/inbox.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/check.h"
#include "platform/linux/io_error.h"

namespace karst::platform {

Result<std::unique_ptr<Inbox>> Inbox::create(Reactor& reactor) {
  UniqueFd wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake.valid()) return io_error(errno);
  const int fd = wake.get();
  auto inbox = std::make_unique<Inbox>(reactor, std::move(wake));
  TRY(inbox->watch(fd, Trigger::edge));
  inbox->want(kReadable);
  return inbox;
}

void Inbox::post(driver::Callback callback) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(callback));
    // The first one wakes the loop, which then takes all that are there.
    if (posted_.size() > 1) return;
  }
  const std::uint64_t one = 1;
  CHECK(::write(wake_.get(), &one, sizeof one) == sizeof one);
}

void Inbox::on_ready() {
  // Each write to an eventfd raises an edge, read or not; reading once here keeps its counter low.
  std::uint64_t count = 0;
  if (::read(wake_.get(), &count, sizeof count) < 0) CHECK(errno == EAGAIN);
  clear_ready(kReadable);
  std::vector<driver::Callback> now;
  {
    const std::lock_guard lock(mutex_);
    now.swap(posted_);
  }
  for (driver::Callback& callback : now) callback();
}

}  // namespace karst::platform
