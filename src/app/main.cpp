#include <unistd.h>

#include <cstdlib>
#include <string>

#include "app/command_line.h"

namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

}  // namespace

int main(int argc, char** argv) {
  return karst::app::run_command_line(
      argc, argv,
      {::geteuid() == 0, variable("HOME"), variable("XDG_CONFIG_HOME"), variable("XDG_STATE_HOME"),
       variable("XDG_RUNTIME_DIR")});
}
