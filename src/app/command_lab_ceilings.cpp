#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "app/stop_signal.h"
#include "lab/ceilings.h"

namespace karst::app {

int lab_ceilings(const LabCeilingsOptions& options) {
  std::vector<lab::Ceiling> ceilings = lab::all_ceilings();
  std::erase_if(ceilings, [&](const lab::Ceiling& ceiling) {
    return ceiling.name.find(options.only) == std::string::npos;
  });
  if (ceilings.empty()) return fail({"no ceiling has that in its name", kExitUsage});
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  const StopSignal signal;
  const auto results = lab::run_ceilings({.ceilings = std::move(ceilings),
                                          .program = own_program(),
                                          .folder = options.folder,
                                          .stop = &signal.stop()},
                                         [](const std::string& line) {
                                           std::printf("%s\n", line.c_str());
                                           std::fflush(stdout);
                                         });
  if (signal.number() != 0) return interrupted(signal, options.folder);
  if (!results) return fail_run(results.error());
  const auto bad = std::ranges::count_if(*results, [](const lab::CeilingResult& result) {
    return !result.rate_ok || !result.named_ok;
  });
  std::printf("%zu ceilings, %td not as they should be; results: %s/results.jsonl\n",
              results->size(), bad, options.folder.c_str());
  return bad == 0 ? kExitOk : kExitFailed;
}

}  // namespace karst::app
