#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "platform/linux/unique_fd.h"

namespace karst::platform {

// The terminal of a program whose loop may not wait for it: one that takes nothing (Ctrl-S, a
// frozen ssh connection) stops what is shown and nothing else. It changes no mode of the terminal,
// so that there is nothing to restore however the program ends.
class Terminal {
 public:
  // Opens anew the terminal that both descriptors are; nothing if they are not one, or are two.
  static std::optional<Terminal> open(int out, int error);

  struct Size {
    std::size_t rows = 0;
    std::size_t columns = 0;
  };
  Size size() const;
  // Whether what is typed goes to this program: if not, the shell owns the terminal.
  bool foreground() const;
  // How many lines have been typed since this was last asked; the terminal showed them, and what
  // was typed is gone. For a program in the foreground.
  std::size_t take_typed_lines();

  // Shows as much as the terminal takes now and keeps the rest for the next call. A caller that
  // looks at stuck() first keeps that rest to what one call gave. Once the terminal has gone,
  // everything is dropped.
  void write(std::string_view text);
  // Not even what was written before is shown yet.
  bool stuck() {
    write({});
    return !pending_.empty();
  }

 private:
  explicit Terminal(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::string pending_;
};

// Whether this process belongs to a terminal, whatever its descriptors are. A process that did and
// does not any more has had its terminal closed.
bool has_controlling_terminal();

}  // namespace karst::platform
