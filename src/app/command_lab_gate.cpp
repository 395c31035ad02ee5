#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "app/stop_signal.h"
#include "lab/gate.h"
#include "lab/report.h"

namespace karst::app {
namespace {

// The cells that the options choose.
std::vector<lab::Cell> cells_of(const LabGateOptions& options) {
  std::vector<lab::Cell> cells = options.quick ? lab::quick_cells() : lab::full_cells();
  std::erase_if(cells, [&](const lab::Cell& cell) { return !options.choice.takes(cell); });
  return cells;
}

void print(const lab::GateResult& result) {
  for (const lab::GateResult::Level& level : result.levels()) {
    std::printf("loss %-4s %%: geometric mean of ratios %.3f, wanted %.3f: %s\n",
                level.loss.c_str(), level.mean, level.threshold,
                level.mean >= level.threshold ? "pass" : "fail");
  }
  const auto count = [&](lab::Verdict verdict) {
    return std::ranges::count_if(
        result.cells, [verdict](const lab::CellResult& cell) { return cell.verdict() == verdict; });
  };
  for (const lab::CellResult& cell : result.cells) {
    for (const std::string& why : cell.failures) {
      std::printf("%s failed: %s\n", cell.cell.name().c_str(), why.c_str());
    }
  }
  std::printf("%zu cells: %td pass, %td inconclusive, %td fail\n", result.cells.size(),
              count(lab::Verdict::pass), count(lab::Verdict::inconclusive),
              count(lab::Verdict::fail));
}

int exit_code_of(lab::Verdict verdict) {
  switch (verdict) {
    case lab::Verdict::pass:
      return kExitOk;
    case lab::Verdict::inconclusive:
      return kExitInconclusive;
    case lab::Verdict::fail:
      return kExitFailed;
  }
  return kExitFailed;
}

// The report of what is there, also when the gate has not come to its end.
int finish(const std::string& folder, int code) {
  if (const auto problem = lab::write_report(folder)) return fail({*problem});
  std::printf("results: %s/results.jsonl, to look at: %s/report.html\n", folder.c_str(),
              folder.c_str());
  return code;
}

}  // namespace

int lab_gate(const LabGateOptions& options) {
  if (!options.quick && !options.full && !options.choice.any()) {
    return fail({"say --quick, --full, or which cells; see karst lab gate --help", kExitUsage});
  }
  lab::GatePlan plan{.cells = cells_of(options),
                     .pairs = options.quick ? 1 : options.pairs,
                     .quick = options.quick,
                     .tunnel = {.program = options.program,
                                .policy = options.policy,
                                .rekey_window = options.rekey_window,
                                .up_arguments = {}},
                     .congestion_control = options.congestion_control,
                     .folder = options.folder,
                     .resume = options.resume,
                     .stop = nullptr};
  if (plan.cells.empty()) return fail({"no cell is left by these choices", kExitUsage});
  if (plan.tunnel.program.empty()) {
    plan.tunnel.program = own_program();
  }
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  const StopSignal signal;
  plan.stop = &signal.stop();
  const auto result = lab::run_gate(plan, [](const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  });
  if (signal.number() != 0) {
    const int code = interrupted(signal, options.folder);
    std::fprintf(stderr, "karst: the same command with --resume goes on\n");
    return finish(options.folder, code);
  }
  if (!result) {
    const int code = fail_run(result.error());
    return result.error().nothing_begun ? code : finish(options.folder, code);
  }
  print(*result);
  return finish(options.folder, exit_code_of(result->verdict()));
}

int lab_report(const std::string& folder) {
  if (const auto problem = lab::write_report(folder)) return fail({*problem});
  std::printf("%s/report.html\n", folder.c_str());
  return kExitOk;
}

}  // namespace karst::app
