#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <string>
#include <vector>

#include "lab/gate_result.h"
#include "lab/run_error.h"
#include "lab/tunnel_pair.h"

namespace karst::lab {

struct GatePlan {
  std::vector<Cell> cells;
  std::size_t pairs = 3;  // of a direct and a tunnel run
  bool quick = false;     // kQuickThreshold instead of the cell's own
  TunnelSettings tunnel;
  std::string congestion_control{};  // of all TCP in both namespaces; empty: the host's
  std::string folder;                // results.jsonl and report.html go there
  bool resume = false;
  const std::atomic<bool>* stop = nullptr;  // set by anyone, it ends the gate soon, with an error

  // What must be the same of all results that are one gate's, for a person.
  std::string settings() const;
};

// Eight cells that meet every value of every axis.
std::vector<Cell> quick_cells();
// All 108: RTT 60, 100, 210 ms; 100 and 1000 Mbit/s; loss 0, 0.1, 1 %; up, down, both; 1, 8
// streams.
std::vector<Cell> full_cells();

// Runs all cells, alternating direct and tunnel runs, and writes each result as it comes. A run
// that fails ends its cell and not the gate. `say` gets lines for a person.
std::expected<GateResult, RunError> run_gate(const GatePlan& plan,
                                             const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
