#include "lab/gate.h"

#include <algorithm>
#include <thread>

#include "lab/earlier_results.h"
#include "lab/format.h"
#include "lab/path_check.h"
#include "lab/results_file.h"
#include "lab/void_run.h"

namespace karst::lab {
namespace {

std::vector<double> rates(const std::vector<CellRun>& runs) {
  std::vector<double> out;
  for (const CellRun& run : runs) out.push_back(run.mbit);
  return out;
}

// Why there is no rate: the tunnel or bare TCP failed, or the machine did not keep up.
struct Missing {
  std::string why;
  bool of_the_machine = false;
};

std::vector<double> cpu_of(const std::vector<CellRun>& runs) {
  std::vector<double> out;
  for (const CellRun& run : runs) out.push_back(run.cpu_s_per_gb());
  return out;
}

class Gate {
 public:
  Gate(const GatePlan& plan, const std::function<void(const std::string&)>& say)
      : plan_(plan), say_(say), file_(plan.folder) {}

  std::expected<GateResult, RunError> run();

 private:
  using Problem = std::optional<RunError>;  // that ends the gate
  Problem begin();
  Problem calibrate();
  Problem run_cell_pairs(CellResult& result);
  Problem check(const Cell& cell);
  // Both runs of one seed, earlier or new. False: the cell is at its end without them.
  std::expected<bool, RunError> add_pair(CellResult& result, std::uint64_t seed);
  std::expected<CellRun, Missing> measure(const Cell& cell, std::uint64_t seed, bool tunnel);
  std::expected<CellRun, std::string> one(const Cell& cell, std::uint64_t seed, bool tunnel);
  std::string void_reason_of(const Cell& cell,
                             const std::expected<CellRun, std::string>& run) const;
  std::size_t pairs_wanted(const CellResult& result) const;
  Duration time_left(std::size_t from) const;
  void say_cell(const CellResult& result) const;
  bool stopped() const { return plan_.stop != nullptr && plan_.stop->load(); }

  const GatePlan& plan_;
  const std::function<void(const std::string&)>& say_;
  ResultsFile file_;
  std::unique_ptr<LabNetwork> network_;
  std::string checked_;        // the path that was checked last
  bool write_failed_ = false;  // a result was lost
};

const std::string kDeadlineText = "a rekey deadline expired";
const RunError kNotRecorded{.text = "cannot write the results"};
const RunError kInterrupted{.text = "interrupted"};

// A path is measured when it changes.
Gate::Problem Gate::check(const Cell& cell) {
  if (cell.path() == checked_) return std::nullopt;
  if (auto problem = check_path(*network_, cell, file_, say_)) return problem;
  checked_ = cell.path();
  return std::nullopt;
}

std::expected<CellRun, std::string> Gate::one(const Cell& cell, std::uint64_t seed, bool tunnel) {
  if (!tunnel) return run_cell(*network_, cell, seed, nullptr, plan_.stop);
  // Its handshakes cross the same path.
  network_->link().replace(cell.link(seed));
  auto pair = TunnelPair::start(*network_, plan_.tunnel, plan_.stop);
  if (!pair) return std::unexpected(pair.error());
  auto run = run_cell(*network_, cell, seed, pair->get(), plan_.stop);
  if (!(*pair)->deadline_ended_a_link()) return run;
  return std::unexpected(kDeadlineText + (run ? "" : ": " + run.error()));
}

// Why the emulator is to blame for a run, also for one without a result.
std::string Gate::void_reason_of(const Cell& cell,
                                 const std::expected<CellRun, std::string>& run) const {
  if (run) return run->void_because;
  // An expired deadline counts on any machine.
  if (run.error().starts_with(kDeadlineText)) return {};
  return void_reason(cell, network_->link().report()).value_or("");
}

// Repeated while the emulator does not keep up.
std::expected<CellRun, Missing> Gate::measure(const Cell& cell, std::uint64_t seed, bool tunnel) {
  for (int tries = 1;; ++tries) {
    auto run = one(cell, seed, tunnel);
    if (stopped()) return std::unexpected(Missing{"interrupted"});
    const std::string spoiled = void_reason_of(cell, run);
    if (!run && spoiled.empty()) return std::unexpected(Missing{run.error()});
    if (run && !file_.add_run(cell, *run).ok()) write_failed_ = true;
    if (run && run->deadline_expired()) return std::unexpected(Missing{kDeadlineText});
    if (run && spoiled.empty()) {
      if (auto stall = stall_in(*run)) return std::unexpected(Missing{*stall});
      return std::move(*run);
    }
    say_(cell.name() + ": a run is void: " + spoiled);
    if (tries == kVoidTries) return std::unexpected(Missing{spoiled, true});
  }
}

std::expected<bool, RunError> Gate::add_pair(CellResult& result, std::uint64_t seed) {
  const EarlierResults& earlier = file_.earlier();
  if (earlier.pairs(result.cell) >= seed) {
    result.direct.push_back(*earlier.run(result.cell, seed, false));
    result.tunnel.push_back(*earlier.run(result.cell, seed, true));
    return true;
  }
  if (auto problem = check(result.cell)) return std::unexpected(*problem);
  // Which comes first alternates too.
  const bool tunnel_first = seed % 2 == 0;
  for (const bool tunnel : {tunnel_first, !tunnel_first}) {
    auto run = measure(result.cell, seed, tunnel);
    if (stopped()) return std::unexpected(kInterrupted);
    if (run) {
      (tunnel ? result.tunnel : result.direct).push_back(std::move(*run));
      continue;
    }
    const Missing& missing = run.error();
    const std::string who = tunnel ? kKarstName : kBareName;
    if (!missing.of_the_machine && !file_.add_failure(result.cell, who, seed, missing.why).ok()) {
      write_failed_ = true;
    }
    say_(result.cell.name() + ": " + who + ": " + missing.why);
    if (tunnel && !missing.of_the_machine) {
      result.failures.push_back(missing.why);
    } else {
      result.void_because = missing.why;
    }
    return false;
  }
  return true;
}

std::size_t Gate::pairs_wanted(const CellResult& result) const {
  if (plan_.quick && !result.ratios().empty()) {
    return median(result.ratios()) < result.threshold ? kQuickPairsMax : plan_.pairs;
  }
  if (result.tunnel.size() < plan_.pairs) return plan_.pairs;
  return spread(rates(result.direct)) > kSpreadWanted ? kPairsMax : plan_.pairs;
}

Gate::Problem Gate::run_cell_pairs(CellResult& result) {
  result.failures = file_.earlier().failures(result.cell);
  bool goes_on = result.failures.empty();
  while (goes_on && result.tunnel.size() < pairs_wanted(result)) {
    const auto added = add_pair(result, result.tunnel.size() + 1);
    if (!added) return added.error();
    goes_on = *added;
  }
  // Runs without their partner say nothing.
  const std::size_t pairs = std::min(result.direct.size(), result.tunnel.size());
  result.direct.resize(pairs);
  result.tunnel.resize(pairs);
  if (write_failed_ || !file_
                            .add_verdict(result.cell, median(result.ratios()), result.threshold,
                                         verdict_name(result.verdict()))
                            .ok()) {
    return kNotRecorded;
  }
  say_cell(result);
  return std::nullopt;
}

void Gate::say_cell(const CellResult& result) const {
  const auto direct = rates(result.direct);
  say_(format("%-22s direct %7.1f Mbit/s (spread %4.1f %%)  tunnel %7.1f  ratio %.3f  %-12s  %s",
              result.cell.name().c_str(), median(direct), spread(direct) * 100,
              median(rates(result.tunnel)), median(result.ratios()),
              verdict_name(result.verdict()).c_str(), result.limiter().c_str()));
}

// What the cells from that one on take, if no cell needs more pairs.
Duration Gate::time_left(std::size_t from) const {
  constexpr Duration kAroundARun = std::chrono::milliseconds(1500);
  Duration sum{};
  for (std::size_t i = from; i < plan_.cells.size(); ++i) {
    const std::uint64_t there = file_.earlier().pairs(plan_.cells[i]);
    const std::size_t missing = plan_.pairs - std::min<std::size_t>(there, plan_.pairs);
    sum += 2 * missing * (plan_.cells[i].length() + kAroundARun);
  }
  return sum;
}

Gate::Problem Gate::begin() {
  if (auto begun = file_.begin(plan_.tunnel.program, plan_.resume); !begun) {
    return RunError{.text = begun.error(), .nothing_begun = true};
  }
  const std::string& before = file_.earlier().settings();
  if (!before.empty() && before != plan_.settings()) {
    return RunError{
        .text = "the results there are of another plan: " + before + ", not " + plan_.settings(),
        .nothing_begun = true};
  }
  if (!file_.add_plan(plan_).ok()) return kNotRecorded;
  auto network = LabNetwork::create(LinkSettings{});
  if (!network.ok()) return RunError{std::string(network.error().kind().text)};
  network_ = std::move(*network);
  if (!plan_.congestion_control.empty() &&
      !network_->set_congestion_control(plan_.congestion_control).ok()) {
    return RunError{.text = "this kernel does not offer congestion control \"" +
                            plan_.congestion_control + "\" (see tcp_available_congestion_control)",
                    .nothing_begun = true};
  }
  if (!file_.add_network(*network_).ok()) return kNotRecorded;
  return calibrate();
}

// One pair more of the cell whose earlier rates spread least.
Gate::Problem Gate::calibrate() {
  const EarlierResults& earlier = file_.earlier();
  std::optional<CellResult> best;
  for (const Cell& cell : plan_.cells) {
    if (earlier.pairs(cell) < plan_.pairs) continue;
    CellResult found{.cell = cell, .direct = {}, .tunnel = {}};
    for (std::uint64_t seed = 1; seed <= earlier.pairs(cell); ++seed) {
      found.direct.push_back(*earlier.run(cell, seed, false));
      found.tunnel.push_back(*earlier.run(cell, seed, true));
    }
    const auto unsteady = [](const CellResult& result) {
      return std::max(spread(rates(result.direct)), spread(rates(result.tunnel)));
    };
    if (!best || unsteady(found) < unsteady(*best)) best = std::move(found);
  }
  if (!best) return std::nullopt;
  if (auto problem = check(best->cell)) return problem;
  const auto direct = one(best->cell, 1, false);
  const auto tunnel = direct ? one(best->cell, 1, true) : direct;
  if (stopped()) return kInterrupted;
  if (!tunnel) return RunError{best->cell.name() + " once more: " + tunnel.error()};
  const Calibration found{.cell = best->cell.name(),
                          .direct_mbit = direct->mbit,
                          .direct_mbit_before = median(rates(best->direct)),
                          .tunnel_mbit = tunnel->mbit,
                          .tunnel_mbit_before = median(rates(best->tunnel)),
                          .cpu_s_per_gb = tunnel->cpu_s_per_gb(),
                          .cpu_s_per_gb_before = median(cpu_of(best->tunnel))};
  if (!file_.add_calibration(found).ok()) return kNotRecorded;
  const std::string text = format(
      "%s once more: direct %.1f Mbit/s (%.1f before), tunnel %.1f (%.1f), %.1f CPU s/GB (%.1f)",
      found.cell.c_str(), found.direct_mbit, found.direct_mbit_before, found.tunnel_mbit,
      found.tunnel_mbit_before, found.cpu_s_per_gb, found.cpu_s_per_gb_before);
  say_(text);
  if (found.ok()) return std::nullopt;
  return RunError{.text = "this machine is not as it was when the results began: " + text,
                  .path_failed = true};
}

std::expected<GateResult, RunError> Gate::run() {
  if (auto problem = begin()) return std::unexpected(*problem);
  GateResult result;
  for (std::size_t i = 0; i < plan_.cells.size(); ++i) {
    const Cell& cell = plan_.cells[i];
    if (!plan_.quick && i % 6 == 0) {
      say_(format(
          "cell %zu of %zu; about %lld min left", i + 1, plan_.cells.size(),
          static_cast<long long>(std::chrono::ceil<std::chrono::minutes>(time_left(i)).count())));
    }
    CellResult found{.cell = cell,
                     .quick = plan_.quick,
                     .direct = {},
                     .tunnel = {},
                     .threshold = plan_.quick ? kQuickThreshold : stream_threshold(cell),
                     .processors = std::thread::hardware_concurrency()};
    if (auto problem = run_cell_pairs(found)) return std::unexpected(*problem);
    result.cells.push_back(std::move(found));
  }
  if (auto problem = file_.end(plan_.tunnel.program)) return std::unexpected(RunError{*problem});
  return result;
}

}  // namespace

std::string GatePlan::settings() const {
  const auto or_default = [](const std::string& value) {
    return value.empty() ? "default" : value;
  };
  return std::string(quick ? "quick" : "full") + ", policy " + or_default(tunnel.policy) +
         ", rekey window " + or_default(tunnel.rekey_window) + ", congestion control " +
         or_default(congestion_control);
}

std::vector<Cell> quick_cells() {
  return {{60, 100, "0", Traffic::down, 1},    {60, 1000, "0", Traffic::up, 1},
          {100, 100, "1", Traffic::up, 8},     {100, 1000, "0.1", Traffic::down, 8},
          {210, 100, "0.1", Traffic::both, 1}, {60, 100, "0", Traffic::both, 8},
          {210, 1000, "0", Traffic::down, 1},  {60, 100, "1", Traffic::down, 1}};
}

std::vector<Cell> full_cells() {
  std::vector<Cell> out;
  for (const unsigned rtt : {60u, 100u, 210u}) {
    for (const unsigned rate : {100u, 1000u}) {
      for (const char* loss : {"0", "0.1", "1"}) {
        for (const Traffic traffic : {Traffic::up, Traffic::down, Traffic::both}) {
          for (const unsigned streams : {1u, 8u})
            out.push_back({rtt, rate, loss, traffic, streams});
        }
      }
    }
  }
  return out;
}

std::expected<GateResult, RunError> run_gate(const GatePlan& plan,
                                             const std::function<void(const std::string&)>& say) {
  return Gate(plan, say).run();
}

}  // namespace karst::lab
