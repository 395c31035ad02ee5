#pragma once

#include <string>
#include <vector>

#include "platform/linux/net_namespace.h"

namespace karst::lab {

struct CommandOutput {
  int code = -1;  // -1: it did not start, or did not end in time
  std::string text;
};

// Runs a command to its end, at most 20 s, and returns what it printed to standard output. `where`
// null: in our own namespace.
CommandOutput run_command(std::vector<std::string> argv,
                          const platform::NetNamespace* where = nullptr);

// What a text file holds, or nothing: for logs, settings and /proc.
std::string read_text(const std::string& path);
// Its last 600 bytes.
std::string end_of_text(const std::string& path);

}  // namespace karst::lab
