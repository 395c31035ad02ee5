#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/live_block.h"

namespace karst::app {

// The live block of `karst up` on its terminal: drawn anew in place, with log lines scrolling by
// above it. A terminal that has gone is no error: what is written is lost.
class TerminalView {
 public:
  // Standard output and standard error are both terminals.
  static bool usable();

  // Draws the block from a status answer.
  void draw(const std::string& status_json, double now_seconds);
  // A log line: goes above the block.
  void print_line(std::string_view line);
  // Leaves the last block standing; what is written from now on goes below it.
  void finish() { rows_ = 0; }

 private:
  // The control sequence that takes the block away, and the block itself.
  std::string erase() const;
  std::string show();

  LiveBlock block_;
  std::vector<std::string> lines_;
  std::size_t rows_ = 0;  // of the block as it stands on the terminal
};

}  // namespace karst::app
