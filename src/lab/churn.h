#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>

#include "base/ip.h"
#include "base/time.h"
#include "platform/linux/net_namespace.h"

namespace karst::lab {

// Short streams, opened and ended all the time from several threads: of 1 byte to 4 MiB each way,
// some half-closed, some reset by either side in the middle.
struct ChurnPlan {
  const platform::NetNamespace* near = nullptr;
  const platform::NetNamespace* far = nullptr;
  Endpoint target;  // where the far side listens
  Endpoint socks;   // in the near namespace
  unsigned at_once = 4;
  Duration length{};
  std::uint64_t seed = 1;
  // Set by anyone, it ends the churn soon.
  const std::atomic<bool>* stop = nullptr;
};

struct ChurnResult {
  std::uint64_t streams = 0;                          // that ended as planned
  std::array<std::uint64_t, 4> streams_by_quarter{};  // of plan.length
  std::uint64_t bytes = 0;                            // that arrived and were compared
  // The first thing that was not as planned, as a sentence.
  std::optional<std::string> failure{};
};

// Runs for plan.length and at most a little more.
ChurnResult run_churn(const ChurnPlan& plan);

}  // namespace karst::lab
