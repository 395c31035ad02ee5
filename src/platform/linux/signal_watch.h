#pragma once

#include <functional>
#include <initializer_list>
#include <memory>

#include "base/result.h"
#include "platform/linux/reactor.h"

namespace karst::platform {

using SignalCallback = std::move_only_function<void(int signal)>;

// Turns signals into calls from the loop (signalfd). Make it before any other thread starts: it
// blocks the signals for this thread and those that come from it, since a thread that did not
// block them would take them. Destruction restores the mask.
class SignalWatch {
 public:
  virtual ~SignalWatch() = default;
};
Result<std::unique_ptr<SignalWatch>> watch_signals(Reactor& reactor,
                                                   std::initializer_list<int> signals,
                                                   SignalCallback callback);

}  // namespace karst::platform
