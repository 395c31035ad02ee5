#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lab/cell.h"

namespace karst::lab {

// What a run of the gate that was interrupted has left in its results.jsonl.
class EarlierResults {
 public:
  // Reads the file, which must be of the program with that SHA-256. A last line that was cut off
  // while it was written is left out, and the file ends before it afterwards. The error is a
  // sentence.
  static std::expected<EarlierResults, std::string> read(const std::string& path,
                                                         const std::string& program_sha256);

  // The run that counts, or null.
  const CellRun* run(const Cell& cell, std::uint64_t seed, bool tunnel) const;
  // The last seed of which both runs count; 0: none.
  std::uint64_t pairs(const Cell& cell) const;
  // GatePlan::settings() of the plan; empty: there was none.
  const std::string& settings() const { return settings_; }
  // Why a run of the cell failed, or nothing. Such a cell is not measured again.
  std::vector<std::string> failures(const Cell& cell) const;

 private:
  void take(const std::string& line);  // may throw nlohmann::json::exception

  using Key = std::tuple<std::string, std::uint64_t, bool>;  // cell, seed, tunnel
  std::string program_sha256_;                               // as the file says
  std::string settings_;
  std::map<Key, CellRun> runs_;
  std::map<std::string, std::vector<std::string>> failures_;  // by cell
};

}  // namespace karst::lab
