#include "platform/linux/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

#include "driver/ports.h"

namespace karst::platform {
namespace {

// What the child does between fork and exec. Only async-signal-safe calls; its errno goes to the
// parent through `report`.
struct Launch {
  std::vector<char*> argv;
  std::vector<char*> environment;
  int where = -1;
  int output = -1;
  bool both_outputs = false;
  int errors = -1;
  int report = -1;
  pid_t parent = 0;
};

[[noreturn]] void run_child(const Launch& launch) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  bool ready = ::getppid() == launch.parent;
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::signal(SIGPIPE, SIG_DFL);
  if (launch.where >= 0) ready = ready && ::setns(launch.where, CLONE_NEWNET) == 0;
  if (launch.output >= 0) {
    ready = ready && ::dup2(launch.output, STDOUT_FILENO) >= 0;
    if (launch.both_outputs) ready = ready && ::dup2(launch.output, STDERR_FILENO) >= 0;
  }
  if (launch.errors >= 0) ready = ready && ::dup2(launch.errors, STDERR_FILENO) >= 0;
  if (ready) ::execvpe(launch.argv[0], launch.argv.data(), launch.environment.data());
  const int error = errno;
  [[maybe_unused]] const ssize_t put = ::write(launch.report, &error, sizeof error);
  ::_exit(127);
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  return out;
}

struct Pipe {
  UniqueFd read;
  UniqueFd write;
};

Result<Pipe> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return Error(driver::kSystem, errno);
  return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const ChildCommand& command) {
  TRY_ASSIGN(Pipe report, make_pipe());
  Pipe output;
  Launch launch;
  launch.parent = ::getpid();
  launch.argv = pointers(command.argv);
  launch.argv.push_back(nullptr);
  launch.environment = pointers(command.environment);
  for (char** entry = environ; *entry != nullptr; ++entry) launch.environment.push_back(*entry);
  launch.environment.push_back(nullptr);
  if (command.where != nullptr) launch.where = command.where->fd();
  UniqueFd file;
  if (command.pipe_output) {
    TRY_ASSIGN(output, make_pipe());
    launch.output = output.write.get();
  } else if (!command.output_file.empty()) {
    file = UniqueFd(
        ::open(command.output_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
    if (!file.valid()) return Error(driver::kSystem, errno);
    launch.output = file.get();
    launch.both_outputs = true;
  }
  UniqueFd nowhere;
  if (command.drop_errors) {
    nowhere = UniqueFd(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    launch.errors = nowhere.get();
  }
  launch.report = report.write.get();
  const pid_t pid = ::fork();
  if (pid < 0) return Error(driver::kSystem, errno);
  if (pid == 0) run_child(launch);
  report.write.reset();
  int failure = 0;
  if (::read(report.read.get(), &failure, sizeof failure) > 0) {
    ::waitpid(pid, nullptr, 0);
    return Error(driver::kSystem, failure);
  }
  UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return ChildProcess(pid, std::move(pidfd), std::move(output.read));
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pidfd_(std::move(other.pidfd_)),
      output_(std::move(other.output_)),
      code_(other.code_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) stop(std::chrono::seconds(2));
}

void ChildProcess::signal(int number) const {
  if (pid_ > 0 && !code_) ::kill(pid_, number);
}

std::optional<int> ChildProcess::wait(Duration longest) {
  if (code_) return code_;
  pollfd ended{.fd = pidfd_.get(), .events = POLLIN, .revents = 0};
  if (::poll(&ended, 1, static_cast<int>(to_milliseconds(longest))) <= 0) return std::nullopt;
  int status = 0;
  if (::waitpid(pid_, &status, 0) != pid_) return std::nullopt;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return code_;
}

int ChildProcess::stop(Duration grace) {
  signal(SIGTERM);
  if (const auto code = wait(grace)) return *code;
  signal(SIGKILL);
  return wait(std::chrono::seconds(10)).value_or(-1);
}

}  // namespace karst::platform
