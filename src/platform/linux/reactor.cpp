#include "platform/linux/reactor.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>

#include "base/check.h"
#include "platform/linux/clock.h"
#include "platform/linux/io_error.h"

namespace karst::platform {
namespace {

using namespace std::chrono_literals;

// What one turn takes from the kernel; the rest waits there in order and comes in the next.
constexpr int kEventsPerTurn = 256;
// epoll's own timeout stands still while the machine is suspended. A sleep of this length or more
// therefore also sets an alarm on the clock that counts suspend.
constexpr Duration kAlarmFrom = 1s;

}  // namespace

Source::Source(Reactor& reactor) : reactor_(reactor) { ++reactor_.sources_; }

Source::~Source() {
  if (reactor_.current_ == this) reactor_.current_ = nullptr;
  --reactor_.sources_;
}

Result<void> Source::watch(int fd, Trigger trigger) {
  level_ = trigger == Trigger::level;
  epoll_event event{};
  event.data.ptr = this;
  event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;
  if (level_) event.events = EPOLLIN;
  const int epoll = reactor_.epoll_.get();
  int result = ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
  if (result != 0 && errno == EEXIST) result = ::epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
  if (result != 0) return io_error(errno);
  watched_ = true;
  return {};
}

Result<void> Source::watch_level(int fd, std::uint8_t bits) {
  level_ = true;
  epoll_event event{};
  event.data.ptr = this;
  if ((bits & kReadable) != 0) event.events |= EPOLLIN;
  if ((bits & kWritable) != 0) event.events |= EPOLLOUT;
  const int operation = bits == 0 ? EPOLL_CTL_DEL : watched_ ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
  if (bits == 0 && !watched_) return {};
  if (::epoll_ctl(reactor_.epoll_.get(), operation, fd, &event) != 0) return io_error(errno);
  watched_ = bits != 0;
  return {};
}

void Source::want(std::uint8_t bits) {
  wanted_ = bits;
  enqueue_if_due();
}

void Source::set_ready(std::uint8_t bits) {
  ready_ |= bits;
  enqueue_if_due();
}

void Source::enqueue_if_due() {
  if (due() != 0 && !linked()) reactor_.ready_.push_back(*this);
}

Result<std::unique_ptr<Reactor>> Reactor::create() {
  UniqueFd epoll(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll.valid()) return io_error(errno);
  UniqueFd alarm(::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC));
  if (!alarm.valid()) return io_error(errno);
  epoll_event event{};
  event.events = EPOLLIN | EPOLLET;
  if (::epoll_ctl(epoll.get(), EPOLL_CTL_ADD, alarm.get(), &event) != 0) return io_error(errno);
  return std::make_unique<Reactor>(std::move(epoll), std::move(alarm), monotonic_now());
}

Reactor::Reactor(UniqueFd epoll, UniqueFd alarm, TimePoint now)
    : epoll_(std::move(epoll)), alarm_(std::move(alarm)), now_(now), timers_(now) {}

Reactor::~Reactor() { CHECK(sources_ == 0); }

void Reactor::wait(TimePoint deadline, bool may_sleep) {
  Duration sleep{};
  TimePoint slept_from = TimePoint::max();
  if (may_sleep && ready_.empty()) {
    if (const auto timer = timers_.next()) deadline = std::min(deadline, *timer);
    slept_from = monotonic_now();
    if (deadline > slept_from) sleep = deadline - slept_from;
    if (sleep >= kAlarmFrom && deadline != TimePoint::max()) set_alarm(deadline, slept_from);
  }
  const timespec timeout = to_timespec(sleep);
  const bool forever = sleep > Duration::zero() && deadline == TimePoint::max();
  std::array<epoll_event, kEventsPerTurn> events;
  const int found = ::epoll_pwait2(epoll_.get(), events.data(), kEventsPerTurn,
                                   forever ? nullptr : &timeout, nullptr);
  CHECK(found >= 0 || errno == EINTR);
  const TimePoint woken = monotonic_now();
  count(std::min(slept_from, woken), woken);
  now_ = woken;
  for (int i = 0; i < found; ++i) note(events[static_cast<std::size_t>(i)]);
}

void Reactor::count(TimePoint slept_from, TimePoint woken) {
  // Before the first turn nothing was worked.
  const Duration worked = stats_.turns == 0 ? Duration::zero() : slept_from - now_;
  ++stats_.turns;
  stats_.busy += worked;
  stats_.idle += woken - slept_from;
  stats_.last_turn = worked;
  stats_.longest_turn = std::max(stats_.longest_turn, worked);
}

void Reactor::note(const epoll_event& event) {
  if (event.data.ptr == nullptr) return;  // the alarm: waking up was its whole point
  Source& source = *static_cast<Source*>(event.data.ptr);
  constexpr std::uint32_t kEnds = EPOLLERR | EPOLLHUP;
  constexpr std::uint32_t kInput = EPOLLIN | EPOLLRDHUP | EPOLLPRI;
  if ((event.events & (kEnds | EPOLLRDHUP | EPOLLPRI)) != 0) source.exceptional_ = true;
  std::uint8_t ready = 0;
  if ((event.events & (kInput | kEnds)) != 0) ready |= kReadable;
  if ((event.events & (EPOLLOUT | kEnds)) != 0) ready |= kWritable;
  source.set_ready(ready);
}

void Reactor::set_alarm(TimePoint at, TimePoint now) {
  // An alarm that is already set for earlier wakes us too, and we then set the next one.
  if (alarm_at_ > now && alarm_at_ <= at) return;
  itimerspec spec{};
  spec.it_value = to_timespec(at.time_since_epoch());
  CHECK(::timerfd_settime(alarm_.get(), TFD_TIMER_ABSTIME, &spec, nullptr) == 0);
  alarm_at_ = at;
}

void Reactor::dispatch() {
  batch_.take_all(ready_);
  while (Source* source = batch_.pop_front()) {
    if (source->due() == 0) continue;
    current_ = source;
    source->on_ready();
    if (current_ == nullptr) continue;
    current_ = nullptr;
    if (source->level_) source->clear_ready(kReadable | kWritable);
    source->enqueue_if_due();
  }
}

}  // namespace karst::platform
