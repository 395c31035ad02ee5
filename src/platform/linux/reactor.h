#pragma once

#include <cstdint>
#include <memory>

#include "base/result.h"
#include "base/time.h"
#include "platform/linux/intrusive_list.h"
#include "platform/linux/timer_queue.h"
#include "platform/linux/unique_fd.h"

struct epoll_event;

namespace karst::platform {

class Reactor;

inline constexpr std::uint8_t kReadable = 1;
inline constexpr std::uint8_t kWritable = 2;

// Something that becomes ready. It keeps two sets of bits: what is ready, as far as known, and
// what is wanted. While they have a bit in common the reactor calls on_ready() once in each turn.
// on_ready() may destroy the source; what it does after a callback that may have done so, it asks
// Reactor::dispatching() first. Destruction ends all calls; the descriptor is closed by whoever
// owns it, which also takes it out of epoll.
class Source : public ListHook {
 public:
  Source(const Source&) = delete;

 protected:
  explicit Source(Reactor& reactor);
  virtual ~Source();

  // Edge: the kernel tells once, and ready bits stay until clear_ready(). Interest then costs no
  // system call. Level: the kernel tells in every turn, and bits last for one on_ready().
  enum class Trigger : std::uint8_t { edge, level };
  // A descriptor that another source watched before goes over to this one.
  Result<void> watch(int fd, Trigger trigger);
  // For level sources: which bits the kernel shall tell, 0 for none.
  Result<void> watch_level(int fd, std::uint8_t bits);

  void want(std::uint8_t bits);
  void set_ready(std::uint8_t bits);
  void clear_ready(std::uint8_t bits) { ready_ &= static_cast<std::uint8_t>(~bits); }
  std::uint8_t ready() const { return ready_; }
  std::uint8_t due() const { return ready_ & wanted_; }
  // Something other than plain input or room arrived at some time: an end, an error, urgent data.
  bool exceptional() const { return exceptional_; }
  Reactor& reactor() { return reactor_; }
  const Reactor& reactor() const { return reactor_; }

 private:
  friend class Reactor;
  virtual void on_ready() = 0;
  void enqueue_if_due();

  Reactor& reactor_;
  std::uint8_t ready_ = 0;
  std::uint8_t wanted_ = 0;
  bool level_ = false;
  bool watched_ = false;
  bool exceptional_ = false;
};

// How a loop spent its time since its first turn. Work is not waiting for the world: a loop whose
// `busy` grows as fast as the clock is what limits the tunnel.
struct LoopStats {
  std::uint64_t turns = 0;
  Duration busy{};          // in callbacks, and asking the kernel without sleeping
  Duration idle{};          // asleep
  Duration last_turn{};     // of the work in the turn before
  Duration longest_turn{};  // of the work in one turn: so late can a timer or a packet be served
};

// epoll, the queue of ready sources, the timers and the time of the turn: the inside of
// EventLoop. One thread. Must outlive its sources and timers.
class Reactor {
 public:
  static Result<std::unique_ptr<Reactor>> create();
  // Through create() only.
  Reactor(UniqueFd epoll, UniqueFd alarm, TimePoint now);
  ~Reactor();
  Reactor(const Reactor&) = delete;

  // The reading of this turn.
  TimePoint now() const { return now_; }
  // Counts up with each turn.
  std::uint64_t turn() const { return stats_.turns; }
  const LoopStats& stats() const { return stats_; }
  TimerQueue& timers() { return timers_; }

  // Begins a turn: collects what the kernel has to tell, sleeping up to `deadline` or the first
  // timer when nothing is ready and `may_sleep`.
  void wait(TimePoint deadline, bool may_sleep);
  // Calls on_ready() of the sources that were due at its start.
  void dispatch();
  // Whether `source`, whose on_ready() is running, still exists.
  bool dispatching(const Source* source) const { return current_ == source; }

 private:
  friend class Source;
  void set_alarm(TimePoint at, TimePoint now);
  void count(TimePoint slept_from, TimePoint woken);
  void note(const epoll_event& event);

  UniqueFd epoll_;
  UniqueFd alarm_;
  TimePoint alarm_at_{};
  TimePoint now_;
  LoopStats stats_;
  TimerQueue timers_;
  IntrusiveList<Source> ready_;
  IntrusiveList<Source> batch_;
  Source* current_ = nullptr;
  std::size_t sources_ = 0;
};

}  // namespace karst::platform
