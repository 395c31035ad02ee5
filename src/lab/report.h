#pragma once

#include <optional>
#include <string>

namespace karst::lab {

// Writes FOLDER/report.html from FOLDER/results.jsonl: one page that needs nothing else. A sentence
// if that fails.
std::optional<std::string> write_report(const std::string& folder);
// The same for a comparison.
std::optional<std::string> write_comparison_report(const std::string& folder);

}  // namespace karst::lab
