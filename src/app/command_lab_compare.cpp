#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "app/stop_signal.h"
#include "lab/comparison.h"
#include "lab/gate.h"
#include "lab/report.h"

namespace karst::app {
namespace {

Outcome<std::vector<lab::Peer>> peers_of(const LabCompareOptions& options) {
  std::vector<lab::Peer> all = lab::all_peers();
  std::string names;
  for (const lab::Peer& peer : all) names += (names.empty() ? "" : ", ") + peer.name;
  for (const std::string& name : options.peers) {
    if (std::ranges::find(all, name, &lab::Peer::name) == all.end()) {
      return std::unexpected(
          Failure{"there is no peer \"" + name + "\"; there are " + names, kExitUsage});
    }
  }
  if (!options.peers.empty()) {
    std::erase_if(all, [&](const lab::Peer& peer) {
      return std::ranges::find(options.peers, peer.name) == options.peers.end();
    });
  }
  return all;
}

std::vector<lab::Cell> cells_of(const LabCompareOptions& options) {
  std::vector<lab::Cell> cells = options.choice.any() ? lab::full_cells() : lab::comparison_cells();
  std::erase_if(cells, [&](const lab::Cell& cell) { return !options.choice.takes(cell); });
  for (lab::Cell& cell : cells) cell.seconds = options.seconds;
  return cells;
}

std::size_t failures_in(const std::vector<lab::CellComparison>& comparisons) {
  std::size_t count = 0;
  for (const lab::CellComparison& comparison : comparisons) {
    for (const lab::Standing& standing : comparison.standings) count += standing.failures.size();
  }
  return count;
}

}  // namespace

int lab_compare(const LabCompareOptions& options) {
  const auto peers = peers_of(options);
  if (!peers) return fail(peers.error());
  lab::ComparisonPlan plan{
      .cells = cells_of(options),
      .peers = {},
      .rounds = options.rounds,
      .tunnel = {.program = options.program.empty() ? own_program() : options.program,
                 .policy = {},
                 .rekey_window = {},
                 .up_arguments = {}},
      .folder = options.folder,
      .stop = nullptr};
  if (plan.cells.empty()) return fail({"no cell is left by these choices", kExitUsage});
  const lab::Rights rights = ::geteuid() == 0 ? lab::Rights::root : lab::Rights::user;
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  const StopSignal signal;
  plan.stop = &signal.stop();
  for (const lab::Peer& peer : *peers) plan.peers.push_back(lab::look_up(peer, rights));
  const auto result = lab::run_comparison(plan, [](const std::string& line) {
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  });
  if (signal.number() != 0) return interrupted(signal, options.folder);
  if (!result) return fail_run(result.error());
  if (const auto problem = lab::write_report(options.folder)) return fail({*problem});
  const std::size_t failures = failures_in(*result);
  if (failures > 0) std::printf("%zu runs failed\n", failures);
  std::printf("results: %s/results.jsonl, to look at: %s/report.html\n", options.folder.c_str(),
              options.folder.c_str());
  return failures == 0 ? kExitOk : kExitFailed;
}

}  // namespace karst::app
