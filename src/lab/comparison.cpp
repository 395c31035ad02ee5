#include "lab/comparison.h"

#include <algorithm>
#include <numeric>

#include "lab/byte_exchange.h"
#include "lab/format.h"
#include "lab/path_check.h"
#include "lab/results_file.h"
#include "lab/verdict.h"
#include "lab/void_run.h"

namespace karst::lab {
namespace {

// So that the run of bare TCP that a ratio is taken to is at most about a minute old.
constexpr std::size_t kContestantsPerBareRun = 3;

std::vector<double> figures(const std::vector<CellRun>& runs, double (*figure)(const CellRun&)) {
  std::vector<double> out;
  for (const CellRun& run : runs) out.push_back(figure(run));
  return out;
}

double rate_of(const CellRun& run) { return run.mbit; }

double cpu_of(const CellRun& run) { return run.cpu_s_per_gb(); }

class Comparer {
 public:
  Comparer(const ComparisonPlan& plan, const std::function<void(const std::string&)>& say);

  std::expected<std::vector<CellComparison>, RunError> run();

 private:
  using Problem = std::optional<RunError>;
  Problem compare(CellComparison& comparison);
  Problem run_round(CellComparison& comparison, std::size_t round);
  // One run of bare TCP (0) or of a contestant.
  Problem run_one(CellComparison& comparison, std::size_t which, std::uint64_t seed);
  std::expected<CellRun, std::string> measure(const Cell& cell, std::size_t which,
                                              std::uint64_t seed);
  bool stopped() const { return plan_.stop->load(); }

  const ComparisonPlan& plan_;
  const std::function<void(const std::string&)>& say_;
  ResultsFile file_;
  std::vector<const PeerState*> present_;
  std::unique_ptr<LabNetwork> network_;
  std::string checked_;   // the path that was checked last
  double bare_mbit_ = 0;  // of the last run of bare TCP
};

Comparer::Comparer(const ComparisonPlan& plan, const std::function<void(const std::string&)>& say)
    : plan_(plan), say_(say), file_(plan.folder) {
  for (const PeerState& state : plan_.peers) {
    if (state.absent.empty()) present_.push_back(&state);
  }
}

std::expected<CellRun, std::string> Comparer::measure(const Cell& cell, std::size_t which,
                                                      std::uint64_t seed) {
  // Its handshakes cross the same path.
  network_->link().replace(cell.link(seed));
  if (which == 0) return run_cell(*network_, cell, seed, nullptr, plan_.stop);
  if (which == 1) {
    auto pair = TunnelPair::start(*network_, plan_.tunnel, plan_.stop);
    if (!pair) return std::unexpected(pair.error());
    // As a peer's run, it begins when a byte has gone each way.
    if (!exchange_byte(*network_, (*pair)->route()).ok()) return std::unexpected("nothing passes");
    return run_cell(*network_, cell, seed, pair->get(), plan_.stop);
  }
  auto pair = PeerPair::start(*network_, *present_[which - 2], cell, *plan_.stop);
  if (!pair) return std::unexpected(pair.error());
  return run_cell(*network_, cell, seed, pair->get(), plan_.stop);
}

Comparer::Problem Comparer::run_one(CellComparison& comparison, std::size_t which,
                                    std::uint64_t seed) {
  Standing& standing = comparison.standings[which];
  auto run = measure(comparison.cell, which, seed);
  for (int tries = 1; run && !run->void_because.empty() && !stopped(); ++tries) {
    run->peer = standing.name;
    say_(comparison.cell.name() + ": a run of " + standing.name + " is void: " + run->void_because);
    if (!file_.add_run(comparison.cell, *run).ok()) return RunError{"cannot write the results"};
    run = tries < kVoidTries ? measure(comparison.cell, which, seed)
                             : std::unexpected(run->void_because);
  }
  if (stopped()) return RunError{"interrupted"};
  if (!run) {
    standing.failures.push_back(run.error());
    say_(comparison.cell.name() + ": " + standing.name + " failed: " + run.error());
    if (!file_.add_failure(comparison.cell, standing.name, seed, run.error()).ok()) {
      return RunError{"cannot write the results"};
    }
    // Without bare TCP there is nothing to compare with.
    if (which == 0) return RunError{comparison.cell.name() + ": bare TCP: " + run.error()};
    return std::nullopt;
  }
  run->peer = standing.name;
  if (which == 0) bare_mbit_ = run->mbit;
  if (bare_mbit_ > 0) standing.ratios.push_back(run->mbit / bare_mbit_);
  if (!file_.add_run(comparison.cell, *run).ok()) return RunError{"cannot write the results"};
  standing.runs.push_back(std::move(*run));
  return std::nullopt;
}

Comparer::Problem Comparer::run_round(CellComparison& comparison, std::size_t round) {
  const std::uint64_t seed = round + 1;
  std::size_t since_bare = kContestantsPerBareRun;
  for (const std::size_t contestant : order_of_round(comparison.standings.size() - 1, round)) {
    if (since_bare == kContestantsPerBareRun) {
      if (auto problem = run_one(comparison, 0, seed)) return problem;
      since_bare = 0;
    }
    if (auto problem = run_one(comparison, contestant + 1, seed)) return problem;
    ++since_bare;
  }
  return std::nullopt;
}

Comparer::Problem Comparer::compare(CellComparison& comparison) {
  if (comparison.cell.path() != checked_) {
    if (auto problem = check_path(*network_, comparison.cell, file_, say_)) return problem;
    checked_ = comparison.cell.path();
  }
  for (std::size_t round = 0; round < plan_.rounds; ++round) {
    if (auto problem = run_round(comparison, round)) return problem;
  }
  for (const Standing& standing : comparison.standings) {
    if (!file_.add_standing(comparison.cell, standing).ok())
      return RunError{"cannot write the results"};
  }
  for (const std::string& line : table_of(comparison)) say_(line);
  return std::nullopt;
}

std::expected<std::vector<CellComparison>, RunError> Comparer::run() {
  if (auto begun = file_.begin(plan_.tunnel.program, false); !begun) {
    return failed(begun.error());
  }
  for (const PeerState& state : plan_.peers) {
    if (!file_.add_peer(state).ok()) return failed("cannot write the results");
    say_(format("%-21s %s", state.peer.name.c_str(),
                state.absent.empty() ? state.version.c_str() : state.absent.c_str()));
  }
  auto network = LabNetwork::create(LinkSettings{});
  if (!network.ok()) return failed(std::string(network.error().kind().text));
  network_ = std::move(*network);
  if (!file_.add_network(*network_).ok()) return failed("cannot write the results");
  std::vector<CellComparison> out;
  for (const Cell& cell : plan_.cells) {
    CellComparison comparison{.cell = cell, .standings = {}};
    for (const char* name : {kBareName, kKarstName}) {
      comparison.standings.push_back({.name = name, .runs = {}, .ratios = {}, .failures = {}});
    }
    for (const PeerState* state : present_) {
      comparison.standings.push_back(
          {.name = state->peer.name, .runs = {}, .ratios = {}, .failures = {}});
    }
    if (auto problem = compare(comparison)) return std::unexpected(*problem);
    out.push_back(std::move(comparison));
  }
  if (auto problem = file_.end(plan_.tunnel.program)) return failed(*problem);
  return out;
}

}  // namespace

std::vector<Cell> comparison_cells() {
  std::vector<Cell> out;
  for (const Cell& path :
       {Cell{60, 1000, "0"}, Cell{60, 1000, "1"}, Cell{210, 1000, "0"}, Cell{210, 100, "1"}}) {
    for (const Traffic traffic : {Traffic::down, Traffic::up}) {
      out.push_back(path);
      out.back().traffic = traffic;
    }
  }
  return out;
}

double Standing::mbit() const { return median(figures(runs, rate_of)); }
double Standing::spread() const { return lab::spread(figures(runs, rate_of)); }
double Standing::ratio() const { return median(ratios); }
double Standing::cpu_s_per_gb() const { return median(figures(runs, cpu_of)); }

double Standing::client_peak_bytes() const {
  return median(
      figures(runs, [](const CellRun& run) { return static_cast<double>(run.client_peak_bytes); }));
}

double Standing::server_peak_bytes() const {
  return median(
      figures(runs, [](const CellRun& run) { return static_cast<double>(run.server_peak_bytes); }));
}

double Standing::machine_idle() const {
  return median(figures(runs, [](const CellRun& run) { return run.machine_idle; }));
}

double Standing::first_byte_ms() const {
  return median(figures(runs, [](const CellRun& run) { return run.first_byte_ms; }));
}

std::vector<std::size_t> order_of_round(std::size_t count, std::size_t round) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (count > 0) std::ranges::rotate(order, order.begin() + static_cast<long>(round % count));
  return order;
}

std::vector<std::string> table_of(const CellComparison& comparison) {
  std::vector<std::string> out;
  out.push_back(format("%-21s %8s %7s %7s %9s %6s %13s %11s", comparison.cell.name().c_str(),
                       "Mbit/s", "ratio", "spread", "CPU s/GB", "idle", "peak MB", "1st byte ms"));
  for (const Standing& standing : comparison.standings) {
    const std::string failures =
        standing.failures.empty() ? "" : format("  %zu failed", standing.failures.size());
    if (standing.runs.empty()) {
      out.push_back(format("  %-19s no result%s", standing.name.c_str(), failures.c_str()));
      continue;
    }
    // Bare TCP has no process of its own.
    const bool bare = standing.name == kBareName;
    const std::string cpu = bare ? "-" : format("%.2f", standing.cpu_s_per_gb());
    const std::string peak = bare ? "-"
                                  : format("%.0f + %.0f", standing.client_peak_bytes() / 1e6,
                                           standing.server_peak_bytes() / 1e6);
    out.push_back(format("  %-19s %8.1f %7.3f %5.1f %% %9s %4.0f %% %13s %11.0f%s",
                         standing.name.c_str(), standing.mbit(), standing.ratio(),
                         standing.spread() * 100, cpu.c_str(), standing.machine_idle() * 100,
                         peak.c_str(), standing.first_byte_ms(), failures.c_str()));
  }
  return out;
}

std::expected<std::vector<CellComparison>, RunError> run_comparison(
    const ComparisonPlan& plan, const std::function<void(const std::string&)>& say) {
  return Comparer(plan, say).run();
}

}  // namespace karst::lab
