#include <unistd.h>

#include <cstdio>

#include "app/commands.h"
#include "app/failure.h"
#include "app/lab_commands.h"
#include "app/lab_root.h"
#include "app/stop_signal.h"
#include "lab/soak.h"

namespace karst::app {
namespace {

constexpr double kMiB = 1 << 20;

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / kMiB; }
unsigned long long number(std::uint64_t value) { return value; }

// On a terminal the line is written over by the next one.
void print(const lab::SoakSample& sample, Duration length) {
  static const bool terminal = ::isatty(STDOUT_FILENO) == 1;
  const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
  std::printf(
      "%s%.0f of %.0f s: client %.1f MiB, %llu descriptors, %llu keys; "
      "server %.1f MiB, %llu, %llu%s",
      terminal ? "\r\x1b[K" : "", seconds(sample.at), seconds(length),
      mebibytes(sample.client.resident_bytes), number(sample.client.descriptors),
      number(sample.client.keys), mebibytes(sample.server.resident_bytes),
      number(sample.server.descriptors), number(sample.server.keys), terminal ? "" : "\n");
  std::fflush(stdout);
}

void print(const lab::SoakResult& result) {
  if (::isatty(STDOUT_FILENO) == 1) std::printf("\r\x1b[K");
  std::printf("%-26s %-22s %s\n", "last quarter", "wanted", "measured");
  for (const lab::SoakRule& rule : result.rules) {
    std::printf("%-26s %-22s %s%s\n", rule.what.c_str(), rule.wanted.c_str(), rule.measured.c_str(),
                rule.ok ? "" : "   <- FAIL");
  }
  std::printf("%.2f GB in all, %llu short streams: %s\n",
              static_cast<double>(result.load.bytes) / 1e9, number(result.load.short_streams),
              result.passed() ? "pass" : "fail");
}

}  // namespace

int lab_soak(const LabSoakOptions& options) {
  if (const auto link = lab::parse_link(options.link); !link) {
    return fail({link.error(), kExitUsage});
  }
  lab::SoakPlan plan{
      .length = Duration(static_cast<std::int64_t>(options.minutes * 60e9)),
      .link = options.link,
      .tunnel = {.program = options.program.empty() ? own_program() : options.program,
                 .policy = options.policy,
                 .rekey_window = {},
                 .up_arguments = {}},
      .folder = options.folder,
      .stop = nullptr};
  if (const auto became = become_lab_root(); !became) return fail(became.error());
  const StopSignal signal;
  plan.stop = &signal.stop();
  const auto result =
      lab::run_soak(plan, [&plan](const lab::SoakSample& sample) { print(sample, plan.length); });
  if (signal.number() != 0) {
    if (::isatty(STDOUT_FILENO) == 1) std::printf("\n");
    return interrupted(signal, options.folder);
  }
  if (!result) return fail_run(result.error());
  print(*result);
  std::printf("results: %s/results.jsonl\n", options.folder.c_str());
  return result->passed() ? kExitOk : kExitFailed;
}

}  // namespace karst::app
