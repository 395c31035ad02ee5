#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/tunnel_pair.h"
#include "lab/verdict.h"

namespace karst::lab {

struct GatePlan {
  std::vector<Cell> cells;
  std::size_t pairs = 3;  // of a direct and a tunnel run
  bool quick = false;     // kQuickThreshold instead of the cell's own
  TunnelSettings tunnel;
  std::string folder;  // results.jsonl and report.html go there
  bool resume = false;
};

// Eight cells that meet every value of every axis.
std::vector<Cell> quick_cells();
// All 108: RTT 60, 100, 210 ms; 100 and 1000 Mbit/s; loss 0, 0.1, 1 %; up, down, both; 1, 8
// streams.
std::vector<Cell> full_cells();

struct CellResult {
  Cell cell;
  bool quick = false;
  std::vector<CellRun> direct;  // paired with `tunnel` by place and by seed
  std::vector<CellRun> tunnel;
  double threshold = 0;

  std::vector<double> ratios() const;
  // What limited the tunnel in most of its runs.
  std::string limiter() const;
  // Processor time limited the tunnel, or none of it was left: the ratio is the machine's and not
  // the path's.
  bool machine_bound() const;
  // As judge() says; of a quick run that the machine bounds, and not below kQuickFloor:
  // inconclusive instead of fail.
  Verdict verdict() const;
};

struct GateResult {
  std::vector<CellResult> cells;
  // Geometric means of the medians by loss, and whether each is at or above its cells' thresholds.
  // Without quick cells that are inconclusive.
  struct Level {
    std::string loss;
    double mean = 0;
    double threshold = 0;
  };
  std::vector<Level> levels() const;
  bool passed() const;  // no cell failed, no level is below its threshold
};

// Why nothing was found out.
struct GateError {
  std::string text;          // a sentence
  bool path_failed = false;  // the path itself is not as asked, as on a busy machine
};

// Runs all cells, alternating direct and tunnel runs, and writes each result as it comes. `say`
// gets lines for a person.
std::expected<GateResult, GateError> run_gate(const GatePlan& plan,
                                              const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
