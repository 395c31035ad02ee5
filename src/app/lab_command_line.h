#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace karst::app {

// Adds `karst lab` and its commands. `set_run` is called, while arguments are read, with what the
// command named on the line does; it returns an exit code.
void add_lab_commands(CLI::App& program, const std::function<void(std::function<int()>)>& set_run);

}  // namespace karst::app
