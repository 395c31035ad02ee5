#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/cell.h"
#include "lab/self_check.h"

namespace karst::lab {

class EarlierResults;
struct Calibration;
struct CeilingResult;
struct GatePlan;
struct InterruptionResult;
struct SoakLoad;
struct SoakRule;
struct SoakSample;
struct PeerState;
struct Standing;

inline constexpr ErrorKind kNotWritten{"lab", "not-written", "a result could not be written"};

// results.jsonl in a folder: one JSON object a line. "machine" first (kernel, settings, versions,
// SHA-256 of the program), "network" and a gate's "plan", then "check", "run", "failure",
// "ceiling", "sample" and "interruption" as they come, a "verdict" or "standing" after a cell's
// last run or a soak's last sample, "peer" of a comparison, "calibration" of a gate that goes on,
// "end" at last with the program's hash again. A line is written whole, at once. Field names:
// docs/lab.md.
class ResultsFile {
 public:
  explicit ResultsFile(std::string folder);
  ~ResultsFile();

  // Starts the file, or with `resume` reads what is there, which must be of the same program. The
  // error is a sentence.
  std::expected<void, std::string> begin(const std::string& program, bool resume);
  // What was there; nothing without `resume`.
  const EarlierResults& earlier() const;
  // What TCP is set to in both of its namespaces.
  Result<void> add_network(const LabNetwork& network);
  Result<void> add_plan(const GatePlan& plan);
  Result<void> add_calibration(const Calibration& found);
  Result<void> add_check(const std::string& path, const SelfCheck& check);
  Result<void> add_run(const Cell& cell, const CellRun& run);
  Result<void> add_verdict(const Cell& cell, double ratio, double threshold,
                           const std::string& verdict);
  Result<void> add_ceiling(const CeilingResult& result);
  Result<void> add_sample(const SoakSample& sample);
  Result<void> add_soak_verdict(const std::vector<SoakRule>& rules, const SoakLoad& load,
                                bool passed);
  Result<void> add_interruption(const InterruptionResult& result);
  // A run of `name` that failed.
  Result<void> add_failure(const Cell& cell, const std::string& name, std::uint64_t seed,
                           const std::string& reason);
  // Of a comparison: what was found of a peer, how one did in a cell.
  Result<void> add_peer(const PeerState& state);
  Result<void> add_standing(const Cell& cell, const Standing& standing);
  // A sentence if the program is no longer the one that was begun with.
  std::optional<std::string> end(const std::string& program);

  static std::string path_in(const std::string& folder) { return folder + "/results.jsonl"; }

 private:
  Result<void> add(const std::string& line);

  struct State;
  std::string folder_;
  std::unique_ptr<State> state_;
};

}  // namespace karst::lab
