#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
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
  std::printf("%zu cells: %td pass, %td inconclusive, %td fail\n", result.cells.size(),
              count(lab::Verdict::pass), count(lab::Verdict::inconclusive),
              count(lab::Verdict::fail));
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
                     .folder = options.folder,
                     .resume = options.resume};
  if (plan.cells.empty()) return fail({"no cell is left by these choices", kExitUsage});
  if (plan.tunnel.program.empty()) {
    plan.tunnel.program = own_program();
  }
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  const auto result = lab::run_gate(plan, [](const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  });
  if (!result) {
    return fail({result.error().text, result.error().path_failed ? kExitVoid : kExitFailed});
  }
  print(*result);
  if (const auto problem = lab::write_report(options.folder)) return fail({*problem});
  std::printf("results: %s/results.jsonl, to look at: %s/report.html\n", options.folder.c_str(),
              options.folder.c_str());
  return result->passed() ? kExitOk : kExitFailed;
}

}  // namespace karst::app
