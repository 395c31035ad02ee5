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

struct CeilingResult;
struct InterruptionResult;
struct SoakLoad;
struct SoakRule;
struct SoakSample;
struct PeerState;
struct Standing;

inline constexpr ErrorKind kNotWritten{"lab", "not-written", "a result could not be written"};

// results.jsonl in a folder: one JSON object a line. "machine" first (kernel, settings, versions,
// SHA-256 of the program), then "check", "run", "ceiling", "sample" and "interruption" as they
// come, a "verdict" or "standing" after a cell's last run or a soak's last sample, "peer" and
// "failure" of a comparison, "end" at last with the program's hash again. A line is written whole,
// at once. Field names: docs/lab.md.
class ResultsFile {
 public:
  explicit ResultsFile(std::string folder);
  ~ResultsFile();

  // Starts the file, or with `resume` reads what is there, which must be of the same program. The
  // error is a sentence.
  std::expected<void, std::string> begin(const std::string& program, bool resume);
  // Moves the runs of `cell` that an earlier run has left to the caller: whole pairs only.
  void take_earlier(const Cell& cell, std::vector<CellRun>& direct, std::vector<CellRun>& tunnel);
  Result<void> add_check(const std::string& path, const SelfCheck& check);
  Result<void> add_run(const Cell& cell, const CellRun& run);
  Result<void> add_verdict(const Cell& cell, double ratio, double threshold,
                           const std::string& verdict);
  Result<void> add_ceiling(const CeilingResult& result);
  Result<void> add_sample(const SoakSample& sample);
  Result<void> add_soak_verdict(const std::vector<SoakRule>& rules, const SoakLoad& load,
                                bool passed);
  Result<void> add_interruption(const InterruptionResult& result);
  // Of a comparison: what was found of a peer, a run of one that failed, how one did in a cell.
  Result<void> add_peer(const PeerState& state);
  Result<void> add_failure(const Cell& cell, const std::string& name, const std::string& reason);
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
