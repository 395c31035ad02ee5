#include "platform/linux/held_signals.h"

#include <pthread.h>

#include "base/check.h"

namespace karst::platform {

bool is_ignored(int signal) {
  struct sigaction action{};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

HeldSignals::HeldSignals(std::initializer_list<int> signals) {
  ::sigemptyset(&held_);
  for (const int signal : signals) {
    // A blocked signal waits even if it is ignored.
    if (!is_ignored(signal)) ::sigaddset(&held_, signal);
  }
  CHECK(::pthread_sigmask(SIG_BLOCK, &held_, &previous_) == 0);
}

HeldSignals::~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }

std::optional<int> HeldSignals::take() {
  const timespec at_once{};
  const int signal = ::sigtimedwait(&held_, nullptr, &at_once);
  return signal > 0 ? std::optional(signal) : std::nullopt;
}

}  // namespace karst::platform
