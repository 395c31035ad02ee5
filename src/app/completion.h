#pragma once

#include <string>

namespace CLI {
class App;
}

namespace karst::app {

// A script for bash that completes what `program` takes: its commands, their options, and files
// and directories where an option's type is FILE or DIR.
std::string bash_completion(const CLI::App& program);

}  // namespace karst::app
