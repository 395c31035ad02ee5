#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lab/cell.h"
#include "lab/results_file.h"

namespace karst::lab {

// Measures the path of `cell` before it is used and writes what was found. Tries three times: every
// run on a path that is not as asked would be void. A sentence if it stays so.
std::optional<std::string> check_path(LabNetwork& network, const Cell& cell, ResultsFile& file,
                                      const std::function<void(const std::string&)>& say);

}  // namespace karst::lab
