#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

#include "lab/link/emulated_link.h"
#include "platform/linux/tun_device.h"
#include "platform/linux/unique_fd.h"

namespace karst::lab {

// Runs an emulated link between two TUN devices on a thread of its own, at raised priority where
// the system allows it. Destruction ends the thread.
class LinkRunner {
 public:
  // What was counted, and whether the emulator itself kept up.
  struct Report {
    DirectionCounters forward;
    DirectionCounters back;
    std::uint64_t malformed = 0;
    std::uint64_t unmapped = 0;
    std::uint64_t write_failures = 0;  // the kernel did not take a packet that was due
  };

  static Result<std::unique_ptr<LinkRunner>> start(platform::TunDevice near,
                                                   platform::TunDevice far,
                                                   const LinkSettings& settings);
  // Through start() only.
  LinkRunner(platform::TunDevice near, platform::TunDevice far, const LinkSettings& settings,
             platform::UniqueFd wake);
  ~LinkRunner();
  LinkRunner(const LinkRunner&) = delete;

  // From another thread. Each takes effect before it returns.
  // Empties the wire and starts over: counters, random decisions, events.
  void restart();
  void replace(const LinkSettings& settings);
  // Keeps what is under way; counters, random decisions and events start over.
  void change(const LinkSettings& settings);
  Report report();

 private:
  void run();
  // How long nothing will happen by itself.
  Duration turn();
  void take_from(Side side, TimePoint now);
  void give_to(Side side, TimePoint now);
  void wait(Duration longest);
  platform::TunDevice& device(Side side) { return side == Side::near ? near_ : far_; }

  platform::TunDevice near_;
  platform::TunDevice far_;
  platform::UniqueFd wake_;
  std::mutex mutex_;  // over link_ and write_failures_
  EmulatedLink link_;
  std::uint64_t write_failures_ = 0;
  ByteVector space_;
  std::atomic<bool> ending_ = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace karst::lab
