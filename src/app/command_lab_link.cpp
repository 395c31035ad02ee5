#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "lab/lab_network.h"
#include "lab/self_check.h"
#include "platform/linux/child_process.h"

namespace karst::app {
namespace {

void print(const lab::SelfCheck& check) {
  std::fprintf(stderr, "  %-18s %-28s %s\n", "", "wanted", "measured");
  for (const lab::CheckLine& line : check.lines) {
    std::fprintf(stderr, "  %-18s %-28s %s%s\n", line.what.c_str(), line.wanted.c_str(),
                 line.measured.c_str(), line.ok ? "" : "   <- NOT AS ASKED");
  }
}

void print(const char* what, const lab::DirectionCounters& counters) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::fprintf(stderr,
               "%-8s %llu segments, %.1f MB: delivered %llu, lost %llu (digest %016llx), "
               "dropped in the queue %llu",
               what, number(counters.segments), static_cast<double>(counters.bytes) / 1e6,
               number(counters.delivered), number(counters.lost), number(counters.fates),
               number(counters.queue_dropped));
  const auto more = [&](const char* name, std::uint64_t value) {
    if (value != 0) std::fprintf(stderr, ", %s %llu", name, number(value));
  };
  more("too big", counters.too_big);
  more("UDP blocked", counters.blocked);
  more("during outages", counters.down);
  more("duplicated", counters.duplicated);
  more("reordered", counters.reordered);
  more("OVERRUN", counters.overrun);
  std::fprintf(stderr, "; at most %.2f ms late\n",
               std::chrono::duration<double, std::milli>(counters.late_max).count());
}

// Ctrl-C and SIGTERM are waited for, not suffered: the namespaces' names must go.
sigset_t block_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return set;
}

void wait_for_signal(const sigset_t& set) {
  int number = 0;
  ::sigwait(&set, &number);
}

int run_in(lab::LabNetwork& network, const std::vector<std::string>& argv, bool published) {
  platform::ChildCommand command{.argv = argv,
                                 .where = &network.at(lab::Side::near),
                                 .environment = {},
                                 .output_file = {},
                                 .pipe_output = false,
                                 .drop_errors = false};
  if (published) {
    command.environment = {"KARST_LAB_NEAR=" + lab::LabNetwork::name(lab::Side::near),
                           "KARST_LAB_FAR=" + lab::LabNetwork::name(lab::Side::far)};
  }
  auto child = platform::ChildProcess::start(command);
  if (!child.ok()) {
    const bool absent = child.error().detail() == ENOENT;
    return fail({"cannot run " + argv.front() + ": " +
                 (absent ? "there is no such program" : describe(child.error()))});
  }
  for (;;) {
    if (const auto code = child->wait(std::chrono::seconds(1))) return *code;
    // A signal that came meanwhile is the command's to obey; from a terminal it has it already.
    sigset_t pending;
    if (::sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1) {
      return child->stop(std::chrono::seconds(5));
    }
  }
}

void explain(bool published) {
  using lab::LabNetwork;
  using lab::Side;
  std::fprintf(stderr, "near  %s  %s\nfar   %s  %s\n",
               LabNetwork::address_v4(Side::near).text().c_str(),
               LabNetwork::address_v6(Side::near).text().c_str(),
               LabNetwork::address_v4(Side::far).text().c_str(),
               LabNetwork::address_v6(Side::far).text().c_str());
  if (published) {
    std::fprintf(stderr, "enter with: ip netns exec %s bash   and   ip netns exec %s bash\n",
                 LabNetwork::name(Side::near).c_str(), LabNetwork::name(Side::far).c_str());
  }
}

}  // namespace

int lab_link(const LabLinkOptions& options) {
  const auto settings = lab::parse_link(options.link);
  if (!settings) return fail({settings.error(), kExitUsage});
  const sigset_t signals = block_signals();
  const bool root = ::geteuid() == 0;
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  auto network = lab::LabNetwork::create(*settings);
  if (!network.ok()) return fail({"cannot make the link: " + describe(network.error())});
  const bool published = root && (*network)->publish();
  std::fprintf(stderr, "link: %s\n", lab::describe_link(options.link).c_str());
  if (!options.no_check) {
    const auto check = lab::check_link(**network, *settings);
    if (!check.ok()) return fail({"cannot measure the link: " + describe(check.error())});
    print(*check);
    if (!check->ok()) return fail({"the link is not as asked: a run on it would be void"});
    if (options.check_only) return kExitOk;
  }
  explain(published);
  int code = kExitOk;
  if (options.command.empty()) {
    wait_for_signal(signals);
  } else {
    code = run_in(**network, options.command, published);
  }
  const lab::LinkRunner::Report report = (*network)->link().report();
  print("forward", report.forward);
  print("back", report.back);
  return code;
}

}  // namespace karst::app
