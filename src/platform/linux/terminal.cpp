#include "platform/linux/terminal.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace karst::platform {

std::optional<Terminal> Terminal::open(int out, int error) {
  if (::isatty(out) != 1 || ::isatty(error) != 1) return std::nullopt;
  struct stat one{};
  struct stat other{};
  if (::fstat(out, &one) != 0 || ::fstat(error, &other) != 0) return std::nullopt;
  if (one.st_rdev != other.st_rdev) return std::nullopt;
  std::array<char, 128> name{};
  if (::ttyname_r(out, name.data(), name.size()) != 0) return std::nullopt;
  // Not by a flag on the given descriptor: the shell and others share what it stands for.
  UniqueFd fd(::open(name.data(), O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return std::nullopt;
  return Terminal(std::move(fd));
}

Terminal::Size Terminal::size() const {
  winsize size{};
  if (::ioctl(fd_.get(), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) {
    return {24, 80};
  }
  return {size.ws_row, size.ws_col};
}

bool Terminal::foreground() const { return ::tcgetpgrp(fd_.get()) == ::getpgrp(); }

std::size_t Terminal::take_typed_lines() {
  std::size_t lines = 0;
  std::array<char, 256> typed;
  // A terminal hands out a line at a time; the bound keeps a pasted book from holding the loop up.
  for (int reads = 0; reads < 64; ++reads) {
    const ssize_t taken = ::read(fd_.get(), typed.data(), typed.size());
    if (taken <= 0) break;
    lines += static_cast<std::size_t>(std::count(typed.data(), typed.data() + taken, '\n'));
  }
  return lines;
}

void Terminal::write(std::string_view text) {
  pending_ += text;
  while (!pending_.empty()) {
    const ssize_t taken = ::write(fd_.get(), pending_.data(), pending_.size());
    if (taken > 0) {
      pending_.erase(0, static_cast<std::size_t>(taken));
    } else if (taken < 0 && errno == EINTR) {
      continue;
    } else if (taken < 0 && errno == EAGAIN) {
      return;
    } else {
      return pending_.clear();
    }
  }
}

bool has_controlling_terminal() {
  return UniqueFd(::open("/dev/tty", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)).valid();
}

}  // namespace karst::platform
