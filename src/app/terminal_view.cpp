#include "app/terminal_view.h"

#include <utility>

#include "app/human_text.h"

namespace karst::app {
namespace {

// As much as a person would read who has let the terminal wait.
constexpr std::size_t kWaitingBytesMax = 64 * 1024;

}  // namespace

std::string TerminalView::erase() {
  if (block_shown_.empty()) return "";
  // Each line end that was typed has moved the cursor one row further down.
  const std::size_t rows =
      rows_of(block_shown_, terminal_.size().columns) + terminal_.take_typed_lines();
  block_shown_.clear();
  // From the first column: what was typed, "^C" too, has moved the cursor.
  return "\r\x1b[" + std::to_string(rows) + "A\x1b[J";
}

// In one piece, so that the block does not flicker.
void TerminalView::refresh() {
  if (terminal_.stuck()) return;
  const bool foreground = terminal_.foreground();
  if (!foreground) block_shown_.clear();
  std::string text = foreground ? erase() : "";
  text += std::exchange(waiting_, "");
  if (dropped_ > 0) {
    text +=
        "(" + counted(std::exchange(dropped_, 0), "line") + " not shown: the terminal waited)\n";
  }
  if (foreground) {
    const auto size = terminal_.size();
    block_shown_ = fit_lines(lines_, size.rows, size.columns);
    text += block_shown_;
  }
  terminal_.write(text);
}

void TerminalView::draw(const std::string& status_json, double now_seconds) {
  lines_ = block_.compose(status_json, now_seconds);
  refresh();
}

void TerminalView::print_line(std::string_view line) {
  if (waiting_.size() + line.size() <= kWaitingBytesMax) {
    waiting_ += line;
  } else {
    ++dropped_;
  }
  refresh();
}

void TerminalView::finish() {
  lines_.clear();
  refresh();
}

}  // namespace karst::app
