#pragma once

#include "app/paths.h"

namespace karst::app {

// Reads the arguments, runs the command that they name and returns its exit code (failure.h).
int run_command_line(int argc, const char* const* argv, const Environment& environment);

}  // namespace karst::app
