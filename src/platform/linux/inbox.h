#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "driver/ports.h"
#include "platform/linux/reactor.h"

namespace karst::platform {

// Callbacks from other threads, run by the loop in the order of posting.
class Inbox final : private Source {
 public:
  static Result<std::unique_ptr<Inbox>> create(Reactor& reactor);
  // Through create() only.
  Inbox(Reactor& reactor, UniqueFd wake) : Source(reactor), wake_(std::move(wake)) {}

  // From any thread, and from the loop's own: the callback then comes in the next turn.
  void post(driver::Callback callback);

 private:
  void on_ready() override;

  UniqueFd wake_;
  std::mutex mutex_;
  std::vector<driver::Callback> posted_;  // under mutex_
};

}  // namespace karst::platform
