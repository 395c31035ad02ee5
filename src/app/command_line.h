#pragma once

#include <string>
#include <vector>

#include "app/paths.h"

namespace CLI {
class App;
}

namespace karst::app {

// Reads the arguments, runs the command that they name and returns its exit code (failure.h).
int run_command_line(int argc, const char* const* argv, const Environment& environment);

// For the parts of the command line: an option that may be given several times, with one value
// each.
void add_list(CLI::App& command, const std::string& name, std::vector<std::string>& values,
              const std::string& type, const std::string& description);

}  // namespace karst::app
