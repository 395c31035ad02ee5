#include "app/stop_signal.h"

#include <csignal>

#include "app/commands.h"
#include "app/failure.h"
#include "platform/linux/clock.h"

namespace karst::app {
namespace {

constexpr Duration kBetweenLooks = std::chrono::milliseconds(100);

}  // namespace

StopSignal::StopSignal()
    : held_{SIGINT, SIGTERM, SIGHUP}, thread_([this] {
        while (!over_) {
          if (const auto number = held_.take()) {
            number_ = *number;
            stop_ = true;
          }
          platform::wait_until(platform::monotonic_now() + kBetweenLooks);
        }
      }) {}

StopSignal::~StopSignal() {
  over_ = true;
  thread_.join();
}

int interrupted(const StopSignal& signal, const std::string& folder) {
  fail({"interrupted; what was measured is in " + folder + "/results.jsonl"});
  return kExitSignal + signal.number();
}

}  // namespace karst::app
