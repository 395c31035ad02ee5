#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lab/cell.h"
#include "lab/peer_pair.h"
#include "lab/run_error.h"
#include "lab/tunnel_pair.h"

namespace karst::lab {

// What the comparison measures beside bare TCP: Karst first, then the peers that are there.

struct ComparisonPlan {
  std::vector<Cell> cells;
  std::vector<PeerState> peers;  // also those that are absent, to be listed
  std::size_t rounds = 3;
  TunnelSettings tunnel;
  std::string folder;                       // results.jsonl and report.html go there
  const std::atomic<bool>* stop = nullptr;  // set by anyone, it ends the comparison soon
};

// 60/1000/0, 60/1000/1, 210/1000/0 and 210/100/1, down x1 and up x1.
std::vector<Cell> comparison_cells();

// How one of them did in one cell. Medians over its runs.
struct Standing {
  std::string name;
  std::vector<CellRun> runs;
  std::vector<double> ratios;  // to the run of bare TCP before it, at most two others between
  std::vector<std::string> failures;

  double mbit() const;
  double spread() const;  // of the rates: (largest - smallest) / median
  double ratio() const;
  double cpu_s_per_gb() const;  // both ends together
  double client_peak_bytes() const;
  double server_peak_bytes() const;
  double first_byte_ms() const;
  double machine_idle() const;  // 0..1
};

struct CellComparison {
  Cell cell;
  std::vector<Standing> standings;  // bare TCP first, then in the order of the plan
};

// Which of `count` contestants runs when in a round: each round begins with the next one.
std::vector<std::size_t> order_of_round(std::size_t count, std::size_t round);

// The lines of a table of one cell, for a terminal.
std::vector<std::string> table_of(const CellComparison& comparison);

// Measures all cells and writes each result as it comes. A peer that fails is named with the reason
// and the rest goes on. `say` gets lines for a person. The error is a sentence.
std::expected<std::vector<CellComparison>, RunError> run_comparison(
    const ComparisonPlan& plan, const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
