#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "app/stop_signal.h"
#include "lab/format.h"
#include "lab/interruption.h"

namespace karst::app {
namespace {

std::string seconds(const std::optional<Duration>& time, const char* pattern) {
  return time ? lab::format(pattern, std::chrono::duration<double>(*time).count()) : "never";
}

void print(const lab::InterruptionResult& result) {
  const std::string link =
      result.link_survived ? "survived" : seconds(result.link_again, "new, %+.2f s");
  std::string verdict;
  for (const std::string& problem : result.problems) {
    verdict += (verdict.empty() ? "" : "; ") + problem;
  }
  std::printf("%-16s %-18s %10s %10s %8u  %s\n", result.what.name().c_str(), link.c_str(),
              seconds(result.up_again, "%.1f s").c_str(),
              seconds(result.down_again, "%.1f s").c_str(), result.streams_ended,
              verdict.empty() ? "pass" : ("FAIL: " + verdict).c_str());
  if (!result.link_survived) {
    std::printf("%-16s the link ended with %s\n", "", result.link_ended_by.c_str());
  }
  std::fflush(stdout);
}

}  // namespace

int lab_interruption(const LabInterruptionOptions& options) {
  if (const auto link = lab::parse_link(options.link); !link) {
    return fail({link.error(), kExitUsage});
  }
  lab::InterruptionPlan plan{
      .interruptions = {},
      .link = options.link,
      .tunnel = {.program = options.program.empty() ? own_program() : options.program,
                 .policy = {},
                 .rekey_window = {},
                 .up_arguments = {}},
      .folder = options.folder,
      .stop = nullptr};
  for (const double length : options.seconds) {
    plan.interruptions.push_back({.kind = lab::Interruption::Kind::outage,
                                  .length = Duration(static_cast<std::int64_t>(length * 1e9))});
  }
  if (options.seconds.empty()) {
    plan.interruptions.push_back({.kind = lab::Interruption::Kind::rebound, .length = {}});
  }
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  std::printf("%-16s %-18s %10s %10s %8s\n", "then", "link", "up again", "down again", "cut");
  std::fflush(stdout);
  const StopSignal signal;
  plan.stop = &signal.stop();
  const auto results = lab::run_interruptions(plan, print);
  if (signal.number() != 0) return interrupted(signal, options.folder);
  if (!results) return fail_run(results.error());
  std::printf("results: %s/results.jsonl\n", options.folder.c_str());
  const bool passed = std::ranges::all_of(
      *results, [](const lab::InterruptionResult& result) { return result.problems.empty(); });
  return passed ? kExitOk : kExitFailed;
}

}  // namespace karst::app
