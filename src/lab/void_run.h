#pragma once

#include <optional>
#include <string>

#include "lab/cell.h"

namespace karst::lab {

// Why a run on the path of `cell` does not count, or nothing: the emulator itself lost packets or
// gave them too late. A sentence.
std::optional<std::string> void_reason(const Cell& cell, const LinkRunner::Report& wire);

// A void run is repeated until there were so many in a row.
inline constexpr int kVoidTries = 3;

}  // namespace karst::lab
