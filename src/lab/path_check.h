#pragma once

#include <functional>
#include <optional>
#include <string>

#include "lab/cell.h"
#include "lab/link_options.h"
#include "lab/results_file.h"
#include "lab/run_error.h"

namespace karst::lab {

// Measures a path before it is used and writes what was found. Tries three times: every run on a
// path that is not as asked would be void. An error if it stays so.
std::optional<RunError> check_path(LabNetwork& network, const Cell& cell, ResultsFile& file,
                                   const std::function<void(const std::string&)>& say);
// The same of a link that is no cell's; `settings` are those of `options`.
std::optional<RunError> check_path(LabNetwork& network, const LinkOptions& options,
                                   const LinkSettings& settings, ResultsFile& file);

}  // namespace karst::lab
