#include "lab/gate.h"

#include <algorithm>
#include <map>

#include "lab/format.h"
#include "lab/path_check.h"
#include "lab/results_file.h"

namespace karst::lab {
namespace {

std::vector<double> rates(const std::vector<CellRun>& runs) {
  std::vector<double> out;
  for (const CellRun& run : runs) out.push_back(run.mbit);
  return out;
}

class Gate {
 public:
  Gate(const GatePlan& plan, const std::function<void(const std::string&)>& say)
      : plan_(plan), say_(say), file_(plan.folder) {}

  std::expected<GateResult, GateError> run();

 private:
  std::optional<std::string> run_cell_pairs(CellResult& result);
  std::optional<std::string> check(const Cell& cell);
  std::expected<CellRun, std::string> one(const Cell& cell, std::uint64_t seed, bool tunnel);
  void say_cell(const CellResult& result) const;

  const GatePlan& plan_;
  const std::function<void(const std::string&)>& say_;
  ResultsFile file_;
  std::unique_ptr<LabNetwork> network_;
  std::string checked_;  // the path that was checked last
};

// A path is measured when it changes.
std::optional<std::string> Gate::check(const Cell& cell) {
  if (cell.path() == checked_) return std::nullopt;
  auto problem = check_path(*network_, cell, file_, say_);
  if (!problem) checked_ = cell.path();
  return problem;
}

std::expected<CellRun, std::string> Gate::one(const Cell& cell, std::uint64_t seed, bool tunnel) {
  if (!tunnel) return run_cell(*network_, cell, seed, nullptr);
  // Its handshakes cross the same path.
  network_->link().replace(cell.link(seed));
  auto pair = TunnelPair::start(*network_, plan_.tunnel);
  if (!pair) return std::unexpected(pair.error());
  return run_cell(*network_, cell, seed, pair->get());
}

std::optional<std::string> Gate::run_cell_pairs(CellResult& result) {
  std::size_t wanted = plan_.pairs;
  while (result.tunnel.size() < wanted) {
    const std::uint64_t seed = result.tunnel.size() + 1;
    // Which comes first alternates too.
    const bool tunnel_first = seed % 2 == 0;
    for (const bool tunnel : {tunnel_first, !tunnel_first}) {
      auto run = one(result.cell, seed, tunnel);
      if (!run) return result.cell.name() + ": " + run.error();
      if (!file_.add_run(result.cell, *run).ok()) return "cannot write the results";
      (tunnel ? result.tunnel : result.direct).push_back(std::move(*run));
    }
    if (!plan_.quick && result.tunnel.size() >= plan_.pairs &&
        spread(rates(result.direct)) > kSpreadWanted) {
      wanted = kPairsMax;
    }
    if (plan_.quick && median(result.ratios()) < result.threshold) wanted = kQuickPairsMax;
  }
  if (!file_
           .add_verdict(result.cell, median(result.ratios()), result.threshold,
                        verdict_name(result.verdict()))
           .ok()) {
    return "cannot write the results";
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

std::expected<GateResult, GateError> Gate::run() {
  auto before = file_.begin(plan_.tunnel.program, plan_.resume);
  if (!before) return std::unexpected(GateError{before.error()});
  auto network = LabNetwork::create(LinkSettings{});
  if (!network.ok()) return std::unexpected(GateError{std::string(network.error().kind().text)});
  network_ = std::move(*network);
  GateResult result;
  for (const Cell& cell : plan_.cells) {
    CellResult found{.cell = cell,
                     .quick = plan_.quick,
                     .direct = {},
                     .tunnel = {},
                     .threshold = plan_.quick ? kQuickThreshold : stream_threshold(cell)};
    file_.take_earlier(cell, found.direct, found.tunnel);
    if (auto problem = check(found.cell)) return std::unexpected(GateError{*problem, true});
    if (auto problem = run_cell_pairs(found)) return std::unexpected(GateError{*problem});
    result.cells.push_back(std::move(found));
  }
  if (auto problem = file_.end(plan_.tunnel.program)) return std::unexpected(GateError{*problem});
  return result;
}

}  // namespace

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

std::vector<double> CellResult::ratios() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < std::min(direct.size(), tunnel.size()); ++i) {
    if (direct[i].mbit > 0) out.push_back(tunnel[i].mbit / direct[i].mbit);
  }
  return out;
}

std::string CellResult::limiter() const {
  std::map<std::string, std::size_t> runs;
  for (const CellRun& run : tunnel) ++runs[run.limiter.name];
  if (runs.empty()) return {};
  return std::ranges::max_element(runs, {}, [](const auto& named) { return named.second; })->first;
}

bool CellResult::machine_bound() const {
  if (limiter() == "cpu") return true;
  std::vector<double> idle;
  for (const CellRun& run : tunnel) idle.push_back(run.machine_idle);
  return !idle.empty() && median(std::move(idle)) < kIdleLeast;
}

Verdict CellResult::verdict() const {
  const Verdict found = judge(ratios(), threshold);
  const bool excused = quick && machine_bound() && median(ratios()) >= kQuickFloor;
  return found == Verdict::fail && excused ? Verdict::inconclusive : found;
}

std::vector<GateResult::Level> GateResult::levels() const {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> by_loss;
  for (const CellResult& cell : cells) {
    if (cell.quick && cell.verdict() == Verdict::inconclusive) continue;
    by_loss[cell.cell.loss].first.push_back(median(cell.ratios()));
    by_loss[cell.cell.loss].second.push_back(cell.threshold);
  }
  std::vector<Level> out;
  for (const auto& [loss, values] : by_loss) {
    out.push_back({loss, geometric_mean(values.first), geometric_mean(values.second)});
  }
  return out;
}

bool GateResult::passed() const {
  return std::ranges::none_of(
             cells, [](const CellResult& cell) { return cell.verdict() == Verdict::fail; }) &&
         std::ranges::all_of(levels(),
                             [](const Level& level) { return level.mean >= level.threshold; });
}

std::expected<GateResult, GateError> run_gate(const GatePlan& plan,
                                              const std::function<void(const std::string&)>& say) {
  return Gate(plan, say).run();
}

}  // namespace karst::lab
