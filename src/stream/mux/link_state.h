#pragma once

#include <deque>

#include "base/memory_budget.h"
#include "base/time.h"
#include "stream/mux/counters.h"
#include "stream/mux/event.h"
#include "stream/mux/limits.h"
#include "stream/mux/scheduler.h"

namespace karst::stream::mux {

enum class Role : std::uint8_t { client, server };

// What the parts of one multiplexer share: no rule of the protocol is in it.
struct LinkState {
  const Role role;
  const Limits limits;
  MemoryBudget& budget;
  Scheduler scheduler{};
  std::deque<Event> events{};
  Counters counters{};
  Duration rtt = kRttInitial;
  TimePoint now{};  // the latest that any call has told
};

}  // namespace karst::stream::mux
