#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lab/link_options.h"
#include "lab/run_error.h"
#include "lab/soak_verdict.h"
#include "lab/tunnel_pair.h"

namespace karst::lab {

struct SoakPlan {
  Duration length{};
  LinkOptions link;
  TunnelSettings tunnel;
  std::string folder;                       // results.jsonl goes there
  const std::atomic<bool>* stop = nullptr;  // set by anyone, it ends the soak soon, with an error
};

struct SoakResult {
  std::vector<SoakSample> samples;
  SoakLoad load;
  std::vector<SoakRule> rules;

  bool passed() const;
};

// One tunnel under constant load both ways, and short streams beside it, watched all the time.
// `on_sample` is called from the calling thread; samples are written as they come.
std::expected<SoakResult, RunError> run_soak(
    const SoakPlan& plan, const std::function<void(const SoakSample&)>& on_sample);

}  // namespace karst::lab
