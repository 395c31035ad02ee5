#include "app/terminal_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

namespace karst::app {
namespace {

std::size_t terminal_columns() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

// In one piece, so that the block does not flicker.
void write_out(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

}  // namespace

bool TerminalView::usable() { return ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::string TerminalView::erase() const {
  return rows_ == 0 ? "" : "\x1b[" + std::to_string(rows_) + "A\x1b[J";
}

std::string TerminalView::show() {
  rows_ = lines_.size();
  return fit_lines(lines_, terminal_columns());
}

void TerminalView::draw(const std::string& status_json, double now_seconds) {
  lines_ = block_.compose(status_json, now_seconds);
  const std::string gone = erase();
  write_out(gone + show());
}

void TerminalView::print_line(std::string_view line) {
  const std::string gone = erase();
  write_out(gone + std::string(line) + show());
}

}  // namespace karst::app
