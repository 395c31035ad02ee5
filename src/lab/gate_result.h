#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/verdict.h"

namespace karst::lab {

// No stream may be without a byte for longer.
inline constexpr Duration kSilenceMax = std::chrono::seconds(3);
// What is wrong with a run that came to its end nevertheless: a sentence.
std::optional<std::string> stall_in(const CellRun& run);

// What the gate found out about one cell.
struct CellResult {
  Cell cell;
  bool quick = false;
  std::vector<CellRun> direct;  // paired with `tunnel` by place and by seed
  std::vector<CellRun> tunnel;
  double threshold = 0;
  std::vector<std::string> failures{};  // why a run through the tunnel has no rate
  std::string void_because{};           // why the machine or bare TCP gave no rate; empty: it did
  unsigned processors = 0;              // of the machine; 0: unknown

  std::vector<double> ratios() const;
  // What limited the tunnel in most of its runs.
  std::string limiter() const;
  // How many processors would be busy if the tunnel carried as much as bare TCP, by what both ends
  // and the lab used for each byte. 0 of no runs.
  double processors_needed() const;
  // Processor time limited the tunnel, none of it was left, or there is less than it needs: the
  // ratio is the machine's and not the path's.
  bool machine_bound() const;
  // fail: a run through the tunnel failed. inconclusive: not all pairs could be measured. Otherwise
  // as judge() says; of a quick run that the machine bounds, and not below kQuickFloor:
  // inconclusive instead of fail.
  Verdict verdict() const;
};

struct GateResult {
  std::vector<CellResult> cells;
  // Geometric means of the medians by loss, and whether each is at or above its cells' thresholds.
  // Without cells that have no ratio, and quick cells that are inconclusive.
  struct Level {
    std::string loss;
    double mean = 0;
    double threshold = 0;
  };
  std::vector<Level> levels() const;
  // fail: a cell failed or a level is below its threshold. inconclusive: a cell is.
  Verdict verdict() const;
};

// What is measured once more before earlier results are gone on with: whether the machine is the
// same as it was then.
struct Calibration {
  std::string cell;
  double direct_mbit = 0;
  double direct_mbit_before = 0;  // medians of the earlier runs
  double tunnel_mbit = 0;
  double tunnel_mbit_before = 0;
  double cpu_s_per_gb = 0;
  double cpu_s_per_gb_before = 0;

  bool ok() const;
};
inline constexpr double kCalibrationTolerance = 0.05;     // of both rates
inline constexpr double kCalibrationCpuTolerance = 0.25;  // of processor time

}  // namespace karst::lab
