#pragma once

#include <optional>
#include <string>

namespace karst::lab {

// Writes FOLDER/report.html from FOLDER/results.jsonl: one page that needs nothing else. A sentence
// if that fails. A gate's and a comparison's results have pages of their own.
std::optional<std::string> write_report(const std::string& folder);

}  // namespace karst::lab
