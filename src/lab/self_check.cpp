#include "lab/self_check.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "lab/format.h"
#include "lab/own_faults.h"
#include "lab/probe_run.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kIpUdpBytes = 28;
constexpr std::uint16_t kPort = 7777;
constexpr std::size_t kRoundTrips = 20;
constexpr double kDeviations = 3.29;  // one honest link in a thousand is called wrong
constexpr double kRateTolerance = 0.02;
constexpr double kFastestProbes = 200e6;
constexpr std::size_t kLossProbesMax = 20'000;

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

double probability(Chance chance) { return chance.parts_per_billion / 1e9; }

// The share of segments that a direction loses in the long run.
double expected_loss(const DirectionSettings& settings) {
  double arrives = 1 - probability(settings.loss);
  if (settings.bursts) {
    const double enter = probability(settings.bursts->enter);
    const double leave = probability(settings.bursts->leave);
    const double bad = enter + leave > 0 ? enter / (enter + leave) : 0;
    arrives *= 1 - (bad * probability(settings.bursts->bad) +
                    (1 - bad) * probability(settings.bursts->good));
  }
  return 1 - arrives;
}

// By how much correlated losses spread more widely than independent ones.
double spread_of_bursts(const DirectionSettings& settings) {
  if (!settings.bursts) return 1;
  const double memory =
      1 - probability(settings.bursts->enter) - probability(settings.bursts->leave);
  return std::sqrt((1 + memory) / (1 - memory));
}

const char* direction_name(Side from) { return from == Side::near ? "forward" : "back"; }

class Checker {
 public:
  Checker(LabNetwork& network, const LinkSettings& settings)
      : network_(network), settings_(settings) {}

  Result<SelfCheck> run();

 private:
  const DirectionSettings& of(Side from) const {
    return from == Side::near ? settings_.forward : settings_.back;
  }
  Endpoint endpoint(Side side) const { return {LabNetwork::address_v4(side), kPort}; }
  Result<void> open();
  Result<void> round_trips();
  Result<void> rate(Side from);
  Result<void> losses(Side from);
  Result<void> longest(Side from);
  Result<void> blocked(Side from);
  void start_over(const LinkSettings& settings);
  void judge_emulator();
  ProbePair pair(Side from) {
    return from == Side::near ? ProbePair{*near_, *far_, endpoint(Side::far)}
                              : ProbePair{*far_, *near_, endpoint(Side::near)};
  }

  LabNetwork& network_;
  const LinkSettings& settings_;
  std::optional<platform::ProbeSocket> near_;
  std::optional<platform::ProbeSocket> far_;
  OwnFaults faults_;  // of the stretches before the one that runs
  SelfCheck result_;
};

Result<void> Checker::open() {
  for (const Side side : {Side::near, Side::far}) {
    TRY_ASSIGN(const auto inside, network_.at(side).enter());
    TRY_ASSIGN(auto socket, platform::ProbeSocket::open(endpoint(side)));
    (side == Side::near ? near_ : far_).emplace(std::move(socket));
  }
  return {};
}

Result<void> Checker::round_trips() {
  TRY_ASSIGN(std::vector<Duration> found,
             measure_round_trips(pair(Side::near), endpoint(Side::near), kRoundTrips));
  const Duration wanted = settings_.forward.delay + settings_.back.delay;
  const Duration jitter = settings_.forward.jitter + settings_.back.jitter;
  if (found.empty()) {
    result_.lines.push_back({"RTT", format("%.1f ms", milliseconds(wanted)), "no answer", false});
    return {};
  }
  std::ranges::sort(found);
  const Duration median = found[found.size() / 2];
  const Duration tolerance = wanted / 100 + 300us;
  // The median of so many sums of uniform jitters is off their middle by 0.27 of the whole in one
  // case of a thousand.
  const Duration least = wanted + jitter / 5;
  const Duration most = wanted + jitter * 4 / 5 + tolerance;
  result_.lines.push_back(
      {"RTT", format("%.1f to %.1f ms", milliseconds(least), milliseconds(most)),
       format("%.2f ms (median of %zu; %.2f to %.2f)", milliseconds(median), found.size(),
              milliseconds(found.front()), milliseconds(found.back())),
       median >= least - 100us && median <= most});
  return {};
}

Result<void> Checker::rate(Side from) {
  const DirectionSettings& settings = of(from);
  if (settings.rate == 0) return {};
  TRY_ASSIGN(const Flood flood, measure_rate(pair(from), settings, LabNetwork::kMtu - kIpUdpBytes));
  const double wanted = static_cast<double>(settings.rate);
  const double arriving =
      wanted * (1 - expected_loss(settings)) * (1 + probability(settings.duplicate));
  const double found = flood.bits_per_second;
  result_.lines.push_back(
      {format("rate %s", direction_name(from)), format("%.2f Mbit/s \302\261 2 %%", arriving / 1e6),
       format("%.2f Mbit/s (%+.2f %%)", found / 1e6, (found / arriving - 1) * 100),
       std::abs(found / arriving - 1) <= kRateTolerance});
  return {};
}

Result<void> Checker::losses(Side from) {
  const DirectionSettings& settings = of(from);
  faults_.add(network_.link().report());
  network_.link().restart();
  TRY_ASSIGN(const Count count, count_probes(pair(from), settings, kLossProbesMax));
  const auto sent = static_cast<double>(count.sent);
  const double expected = expected_loss(settings);
  const double bound =
      kDeviations * std::sqrt(sent * expected * (1 - expected)) * spread_of_bursts(settings) +
      (expected > 0 ? 1 : 0);
  const double lost = sent - static_cast<double>(count.arrived);
  result_.lines.push_back({format("loss %s", direction_name(from)),
                           format("%.3f %% of %zu: %.0f \302\261 %.0f", expected * 100, count.sent,
                                  sent * expected, bound),
                           format("%.0f (%.3f %%)", lost, lost / sent * 100),
                           std::abs(lost - sent * expected) <= bound});
  const auto share = [&](const char* what, Chance chance, std::size_t found) {
    if (chance.parts_per_billion == 0) return;
    const double mean = sent * (1 - expected) * probability(chance);
    const double width = kDeviations * std::sqrt(mean) + 1;
    result_.lines.push_back({format("%s %s", what, direction_name(from)),
                             format("%.0f \302\261 %.0f", mean, width), format("%zu", found),
                             std::abs(static_cast<double>(found) - mean) <= width});
  };
  share("duplicates", settings.duplicate, count.duplicated);
  // A probe that is late by less than the next one's distance is not overtaken.
  if (settings.reorder_by > count.spacing) share("reordered", settings.reorder, count.late);
  return {};
}

Result<void> Checker::longest(Side from) {
  const DirectionSettings& settings = of(from);
  if (settings.mtu == 0 || settings.mtu >= LabNetwork::kMtu) return {};
  TRY_ASSIGN(const bool fits, any_arrives(pair(from), settings.mtu - kIpUdpBytes));
  TRY_ASSIGN(const bool over, any_arrives(pair(from), settings.mtu + 1 - kIpUdpBytes));
  result_.lines.push_back(
      {format("longest %s", direction_name(from)),
       format("%u passes, %u does not", settings.mtu, settings.mtu + 1),
       format("%s, %s", fits ? "passes" : "does not", over ? "passes" : "does not"),
       fits && !over});
  return {};
}

Result<void> Checker::blocked(Side from) {
  if (!of(from).block_udp) return {};
  TRY_ASSIGN(const bool passes, any_arrives(pair(from), 100));
  result_.lines.push_back(
      {format("UDP %s", direction_name(from)), "blocked", passes ? "passes" : "blocked", !passes});
  return {};
}

void Checker::start_over(const LinkSettings& settings) {
  faults_.add(network_.link().report());
  network_.link().replace(settings);
}

void Checker::judge_emulator() {
  const Duration allowed = OwnFaults::late_allowed(settings_.forward.delay + settings_.back.delay);
  result_.lines.push_back(
      {"emulator", format("loses nothing itself, late by %.1f ms at most", milliseconds(allowed)),
       format("%llu lost, late by %.1f ms", static_cast<unsigned long long>(faults_.lost),
              milliseconds(faults_.late_max)),
       faults_.lost == 0 && faults_.late_max <= allowed});
}

Result<SelfCheck> Checker::run() {
  TRY(open());
  LinkSettings open_link = settings_;
  open_link.events.clear();
  open_link.forward.block_udp = open_link.back.block_udp = false;
  network_.link().replace(open_link);  // what was before is not of this check
  TRY(round_trips());
  for (const Side from : {Side::near, Side::far}) {
    TRY(rate(from));
    TRY(losses(from));
    TRY(longest(from));
  }
  LinkSettings still = settings_;
  still.events.clear();
  start_over(still);
  for (const Side from : {Side::near, Side::far}) TRY(blocked(from));
  start_over(settings_);
  judge_emulator();
  return result_;
}

}  // namespace

bool SelfCheck::ok() const {
  return std::ranges::all_of(lines, [](const CheckLine& line) { return line.ok; });
}

Result<SelfCheck> check_link(LabNetwork& network, const LinkSettings& settings) {
  return Checker(network, settings).run();
}

}  // namespace karst::lab
