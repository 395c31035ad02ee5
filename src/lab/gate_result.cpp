#include "lab/gate_result.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/format.h"

namespace karst::lab {

std::optional<std::string> stall_in(const CellRun& run) {
  if (run.silence_max <= kSilenceMax) return std::nullopt;
  const std::chrono::duration<double> silence = run.silence_max;
  return format("a stream stood still for %.1f s", silence.count());
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

double CellResult::processors_needed() const {
  std::vector<double> needed;
  for (std::size_t i = 0; i < std::min(direct.size(), tunnel.size()); ++i) {
    const CellRun& run = tunnel[i];
    if (run.bytes == 0) continue;
    const std::chrono::duration<double> cpu = run.client_cpu + run.server_cpu + run.lab_cpu;
    needed.push_back(cpu.count() / static_cast<double>(run.bytes) * direct[i].mbit * 1e6 / 8);
  }
  return median(std::move(needed));
}

bool CellResult::machine_bound() const {
  if (limiter() == "cpu") return true;
  if (processors > 0 && processors_needed() > processors) return true;
  std::vector<double> idle;
  for (const CellRun& run : tunnel) idle.push_back(run.machine_idle);
  return !idle.empty() && median(std::move(idle)) < kIdleLeast;
}

Verdict CellResult::verdict() const {
  if (!failures.empty()) return Verdict::fail;
  if (!void_because.empty()) return Verdict::inconclusive;
  const Verdict found = judge(ratios(), threshold);
  const bool excused = quick && machine_bound() && median(ratios()) >= kQuickFloor;
  return found == Verdict::fail && excused ? Verdict::inconclusive : found;
}

std::vector<GateResult::Level> GateResult::levels() const {
  std::map<std::string, std::pair<std::vector<double>, std::vector<double>>> by_loss;
  for (const CellResult& cell : cells) {
    if (cell.ratios().empty()) continue;
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

Verdict GateResult::verdict() const {
  const auto any = [this](Verdict wanted) {
    return std::ranges::any_of(
        cells, [wanted](const CellResult& cell) { return cell.verdict() == wanted; });
  };
  const auto below = [](const Level& level) { return level.mean < level.threshold; };
  if (any(Verdict::fail) || std::ranges::any_of(levels(), below)) return Verdict::fail;
  return any(Verdict::inconclusive) ? Verdict::inconclusive : Verdict::pass;
}

bool Calibration::ok() const {
  const auto near = [](double now, double before, double tolerance) {
    return std::abs(now - before) <= tolerance * before;
  };
  return near(direct_mbit, direct_mbit_before, kCalibrationTolerance) &&
         near(tunnel_mbit, tunnel_mbit_before, kCalibrationTolerance) &&
         near(cpu_s_per_gb, cpu_s_per_gb_before, kCalibrationCpuTolerance);
}

}  // namespace karst::lab
