#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "platform/linux/net_namespace.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

struct ChildCommand {
  std::vector<std::string> argv;         // argv[0] is looked up in PATH
  const NetNamespace* where = nullptr;   // null: our own; must live until start() returns
  std::vector<std::string> environment;  // "NAME=value", beside ours
  std::string output_file;               // for both outputs; empty: as ours
  bool pipe_output = false;              // standard output into a pipe (output())
  bool drop_errors = false;              // standard error goes nowhere
};

// One process that we started. It gets SIGTERM if we die. Destruction ends it, first with SIGTERM
// and after two seconds with SIGKILL, and waits.
class ChildProcess {
 public:
  // kSystem with errno, also when the program is not there.
  static Result<ChildProcess> start(const ChildCommand& command);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits at most so long; nullopt: it still runs. The exit code, or 128 + the signal.
  std::optional<int> wait(Duration longest);
  // wait() and, if it still runs, SIGTERM and then SIGKILL.
  int stop(Duration grace);
  // The read end of its standard output, with pipe_output.
  int output() const { return output_.get(); }

 private:
  ChildProcess(pid_t pid, UniqueFd pidfd, UniqueFd output)
      : pid_(pid), pidfd_(std::move(pidfd)), output_(std::move(output)) {}

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd output_;
  std::optional<int> code_;
};

}  // namespace karst::platform
