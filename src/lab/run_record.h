#pragma once

#include <string>

#include "lab/cell.h"

namespace karst::lab {

// A run as a line of results.jsonl, without its end; field names: docs/lab.md.
std::string run_record(const Cell& cell, const CellRun& run);

// What a gate needs of a run that an earlier part of it left. Throws nlohmann::json::exception if a
// field is missing or of another type.
CellRun run_from_record(const std::string& line);

// Three digits after the point.
double rounded(double value);

}  // namespace karst::lab
