#pragma once

#include <signal.h>

#include <initializer_list>
#include <optional>

namespace karst::platform {

// Whoever started this program wants it to go on in spite of this signal, as nohup does.
bool is_ignored(int signal);

// While it lives, these signals wait: for a stretch of work that must not be cut in two. Made
// before any other thread starts. When it goes, those that came and were not taken have their usual
// effect. A SignalWatch (signal_watch.h) made meanwhile gets them. Signals that are ignored go on
// being ignored.
class HeldSignals {
 public:
  explicit HeldSignals(std::initializer_list<int> signals);
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

  // One that came, which is thereby dealt with.
  std::optional<int> take();

 private:
  sigset_t held_{};
  sigset_t previous_{};
};

}  // namespace karst::platform
