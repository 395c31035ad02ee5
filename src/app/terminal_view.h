#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/live_block.h"
#include "platform/linux/terminal.h"

namespace karst::app {

// The live block of `karst up` on its terminal: drawn anew in place, with log lines scrolling by
// above it. In the background, where the terminal is the shell's, there are log lines only. A
// terminal that takes nothing is given the log lines later, a terminal that has gone never.
class TerminalView {
 public:
  explicit TerminalView(platform::Terminal terminal) : terminal_(std::move(terminal)) {}

  // Draws the block from a status answer.
  void draw(const std::string& status_json, double now_seconds);
  // A log line: goes above the block.
  void print_line(std::string_view line);
  // Others have written on the terminal (a shell, while this process was stopped): what stands
  // there is theirs, and the block goes below it.
  void leave() { block_shown_.clear(); }
  // Takes the block away; what is written from now on goes where it was.
  void finish();

 private:
  void refresh();
  // The control sequence that takes the block away.
  std::string erase();

  platform::Terminal terminal_;
  LiveBlock block_;
  std::vector<std::string> lines_;
  std::string block_shown_;  // as it stands on the terminal
  std::string waiting_;      // log lines that are not shown yet
  std::size_t dropped_ = 0;  // log lines that are not shown at all
};

}  // namespace karst::app
