#include "platform/linux/signal_watch.h"

#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "platform/linux/io_error.h"

namespace karst::platform {
namespace {

class OsSignalWatch final : public SignalWatch, private Source {
 public:
  OsSignalWatch(Reactor& loop, SignalCallback callback)
      : Source(loop), callback_(std::move(callback)) {}
  ~OsSignalWatch() override {
    if (blocked_) ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
  }

  Result<void> start(std::initializer_list<int> signals) {
    sigset_t set;
    ::sigemptyset(&set);
    for (const int signal : signals) ::sigaddset(&set, signal);
    if (const int error = ::pthread_sigmask(SIG_BLOCK, &set, &previous_)) return io_error(error);
    blocked_ = true;
    fd_ = UniqueFd(::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC));
    if (!fd_.valid()) return io_error(errno);
    want(kReadable);
    return watch(fd_.get(), Trigger::edge);
  }

 private:
  void on_ready() override {
    signalfd_siginfo info;
    if (::read(fd_.get(), &info, sizeof info) != sizeof info) return clear_ready(kReadable);
    // The callback may destroy the watch, so it must not live inside it while it runs.
    Reactor& loop = reactor();
    SignalCallback callback = std::move(callback_);
    callback(static_cast<int>(info.ssi_signo));
    if (loop.dispatching(this)) callback_ = std::move(callback);
  }

  SignalCallback callback_;
  sigset_t previous_{};
  bool blocked_ = false;
  UniqueFd fd_;
};

}  // namespace

Result<std::unique_ptr<SignalWatch>> watch_signals(Reactor& reactor,
                                                   std::initializer_list<int> signals,
                                                   SignalCallback callback) {
  auto watch = std::make_unique<OsSignalWatch>(reactor, std::move(callback));
  TRY(watch->start(signals));
  return watch;
}

}  // namespace karst::platform
