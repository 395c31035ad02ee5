#include "lab/link_runner.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "driver/ports.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

// Packets taken from one device in a row, so that the other and what is due get their turn.
constexpr int kPacketsPerTurn = 64;
constexpr int kRaisedPriority = -15;
constexpr Duration kLongestSleep = std::chrono::seconds(1);

void wake_up(const platform::UniqueFd& fd) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(fd.get(), &one, sizeof one);
}

}  // namespace

Result<std::unique_ptr<LinkRunner>> LinkRunner::start(platform::TunDevice near,
                                                      platform::TunDevice far,
                                                      const LinkSettings& settings) {
  platform::UniqueFd wake(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  if (!wake.valid()) return Error(driver::kSystem, errno);
  return std::make_unique<LinkRunner>(std::move(near), std::move(far), settings, std::move(wake));
}

LinkRunner::LinkRunner(platform::TunDevice near, platform::TunDevice far,
                       const LinkSettings& settings, platform::UniqueFd wake)
    : near_(std::move(near)),
      far_(std::move(far)),
      wake_(std::move(wake)),
      link_(settings, platform::monotonic_now()),
      space_(kPacketBytesMax),
      thread_([this] { run(); }) {}

LinkRunner::~LinkRunner() {
  ending_ = true;
  wake_up(wake_);
  thread_.join();
}

void LinkRunner::restart() {
  const std::scoped_lock lock(mutex_);
  link_.restart(platform::monotonic_now());
  write_failures_ = 0;
  wake_up(wake_);
}

void LinkRunner::replace(const LinkSettings& settings) {
  const std::scoped_lock lock(mutex_);
  link_ = EmulatedLink(settings, platform::monotonic_now());
  write_failures_ = 0;
  wake_up(wake_);
}

void LinkRunner::change(const LinkSettings& settings) {
  const std::scoped_lock lock(mutex_);
  link_.change(settings, platform::monotonic_now());
  write_failures_ = 0;
  wake_up(wake_);
}

LinkRunner::Report LinkRunner::report() {
  const std::scoped_lock lock(mutex_);
  return {.forward = link_.counters(Side::near),
          .back = link_.counters(Side::far),
          .malformed = link_.malformed(),
          .unmapped = link_.unmapped(),
          .write_failures = write_failures_};
}

void LinkRunner::run() {
  // The timer's slack is otherwise 50 microseconds. Neither call is essential.
  ::prctl(PR_SET_TIMERSLACK, 1UL);
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), kRaisedPriority);
  while (!ending_) wait(turn());
}

Duration LinkRunner::turn() {
  const std::scoped_lock lock(mutex_);
  link_.handle_deadline(platform::monotonic_now());
  take_from(Side::near, platform::monotonic_now());
  take_from(Side::far, platform::monotonic_now());
  const TimePoint now = platform::monotonic_now();
  give_to(Side::far, now);
  give_to(Side::near, now);
  const auto next = link_.next_deadline();
  if (!next) return kLongestSleep;
  return std::clamp(*next - platform::monotonic_now(), Duration::zero(), kLongestSleep);
}

void LinkRunner::take_from(Side side, TimePoint now) {
  for (int i = 0; i < kPacketsPerTurn; ++i) {
    const Result<std::size_t> got = device(side).read(space_);
    if (!got.ok()) return;
    link_.handle_input(side, to_vector(Bytes(space_).first(*got)), now);
  }
}

void LinkRunner::give_to(Side side, TimePoint now) {
  while (const auto packet = link_.poll_output(side, now)) {
    if (!device(side).write(*packet).ok()) ++write_failures_;
  }
}

void LinkRunner::wait(Duration longest) {
  std::array<pollfd, 3> wait{pollfd{.fd = near_.fd(), .events = POLLIN, .revents = 0},
                             pollfd{.fd = far_.fd(), .events = POLLIN, .revents = 0},
                             pollfd{.fd = wake_.get(), .events = POLLIN, .revents = 0}};
  const timespec timeout = platform::to_timespec(longest);
  ::ppoll(wait.data(), wait.size(), &timeout, nullptr);
  if (wait[2].revents != 0) {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(wake_.get(), &count, sizeof count);
  }
}

}  // namespace karst::lab
