#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>

#include "driver/ports.h"
#include "platform/linux/end_of_turn_queue.h"
#include "platform/linux/inbox.h"
#include "platform/linux/lingering.h"
#include "platform/linux/reactor.h"
#include "platform/linux/resolver.h"
#include "platform/linux/signal_watch.h"

namespace karst::platform {

// The kernel as driver::Ports: one thread's loop over epoll. In each turn, in this order: it
// sleeps until something happens, reads the clock once, and runs due timers, what became ready
// (sockets, answered look-ups, signals, posted callbacks; each once, with bounded work), and then
// the end-of-turn tasks. Everything it made must be destroyed before it.
//
// Only post() and stop() may be called from another thread. With a loop the process ignores
// SIGPIPE: a write to a pipe that nobody reads, such as the log's, fails and is no more than that.
class EventLoop final : public driver::Ports {
 public:
  static Result<std::unique_ptr<EventLoop>> create(const ResolverOptions& options = {});
  // Through create() only.
  EventLoop(std::unique_ptr<Reactor> reactor, std::unique_ptr<Inbox> inbox,
            const ResolverOptions& options);
  ~EventLoop() override;

  // Runs turns until stop(). It may be called again afterwards.
  void run();
  // Ends run() after the turn under way; called before run(), it makes that return at once.
  void stop();
  // One turn, which sleeps for at most `longest`: for tests, and for loops around the loop.
  void run_turn(Duration longest);
  // Runs `callback` on the loop's thread, in a later turn. Callbacks still waiting when the loop
  // is destroyed are dropped.
  void post(driver::Callback callback);
  // See signal_watch.h: before any other thread starts.
  Result<std::unique_ptr<SignalWatch>> on_signals(std::initializer_list<int> signals,
                                                  SignalCallback callback);
  const LoopStats& stats() const { return reactor_->stats(); }
  // For the other parts of this folder.
  Reactor& reactor() { return *reactor_; }

  TimePoint now() const override { return reactor_->now(); }
  TimePoint clock() const override;
  UnixTime wall_time() const override;
  Duration last_turn_work() const override { return reactor_->stats().last_turn; }
  std::unique_ptr<driver::Timer> make_timer(driver::Callback callback) override;
  std::unique_ptr<driver::EndOfTurn> make_end_of_turn(driver::Callback callback) override;
  Result<std::unique_ptr<driver::TcpStream>> connect(const Endpoint& to) override;
  Result<std::unique_ptr<driver::TcpListener>> listen(const Endpoint& at) override;
  Result<std::unique_ptr<driver::UdpSocket>> open_udp(const Endpoint& at) override;
  std::unique_ptr<driver::Lookup> look_up(std::string_view name, driver::AddressFamily family,
                                          driver::LookupCallback callback) override;
  // The last that could be read.
  std::vector<IpAddress> own_addresses() override;

 private:
  void turn(TimePoint deadline);

  std::unique_ptr<Reactor> reactor_;
  EndOfTurnQueue end_of_turn_;
  Lingering lingering_;
  Resolver resolver_;
  std::vector<IpAddress> own_addresses_;
  // Last, so that what waiting callbacks own goes before the rest.
  std::unique_ptr<Inbox> inbox_;
  std::atomic<bool> stop_ = false;
};

}  // namespace karst::platform
