#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "platform/linux/held_signals.h"

namespace karst::app {

// Sees while it lives whether SIGINT, SIGTERM or SIGHUP asks the command to end, instead of their
// usual effect: what was started must be ended, and files with keys must go. Made before any other
// thread starts.
class StopSignal {
 public:
  StopSignal();
  StopSignal(const StopSignal&) = delete;
  ~StopSignal();

  // Set within a tenth of a second after the signal.
  const std::atomic<bool>& stop() const { return stop_; }
  int number() const { return number_; }  // 0: none came

 private:
  platform::HeldSignals held_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> over_ = false;
  std::atomic<int> number_ = 0;
  std::thread thread_;  // last: it uses all of the above
};

// Says that the command was interrupted and where its results are. Returns its exit code.
int interrupted(const StopSignal& signal, const std::string& folder);

}  // namespace karst::app
