#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace karst::app {

// The live block that `karst up` shows on a terminal: a few lines about the tunnel that are drawn
// anew in place, with log lines scrolling by above them.
class TerminalView {
 public:
  // Standard output and standard error are both terminals.
  static bool usable();

  // Draws the block from a status answer (status.h); rates come from the last call's numbers.
  void draw(const std::string& status_json, double now_seconds);
  // A log line: goes above the block.
  void print_line(std::string_view line);
  // Leaves the last block standing and moves below it.
  void finish();

 private:
  void erase();
  void show();
  std::string compose(const std::string& status_json, double now_seconds);

  std::string block_;
  int lines_ = 0;
  double last_time_ = 0;
  double last_sent_ = 0;
  double last_received_ = 0;
};

}  // namespace karst::app
