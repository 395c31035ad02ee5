#include "lab/ceilings.h"

#include <algorithm>
#include <map>

#include "lab/format.h"
#include "lab/path_check.h"
#include "lab/results_file.h"
#include "lab/tunnel_pair.h"

namespace karst::lab {
namespace {

constexpr double kExtremeEpochBytes = 262'144;
constexpr std::uint64_t kMiB = 1 << 20;
// What SO_RCVBUF and SO_SNDBUF of 4 MiB came to where rmem_max is Debian's 212,992: the kernel
// doubles what is asked for, to pay for its own overhead.
constexpr std::uint64_t kSeedBuffer = 425'984;

double window_model(double bytes, unsigned rtt_ms) { return bytes * 8 / (rtt_ms / 1e3) / 1e6; }

class Ceilings {
 public:
  Ceilings(const CeilingPlan& plan, const std::function<void(const std::string&)>& say)
      : plan_(plan), say_(say), file_(plan.folder) {}

  std::expected<std::vector<CeilingResult>, RunError> run();

 private:
  std::optional<RunError> begin();
  std::expected<CeilingResult, RunError> one(const Ceiling& ceiling);
  std::expected<CellRun, std::string> through_tunnel(const Ceiling& ceiling, const Cell& cell);
  // Of bare TCP, after the path was measured.
  std::expected<double, RunError> path(const Cell& cell);
  void say_result(const CeilingResult& result) const;
  bool stopped() const { return plan_.stop != nullptr && plan_.stop->load(); }

  const CeilingPlan& plan_;
  const std::function<void(const std::string&)>& say_;
  ResultsFile file_;
  std::unique_ptr<LabNetwork> network_;
  std::map<std::string, double> path_mbit_;  // by cell
};

std::expected<double, RunError> Ceilings::path(const Cell& cell) {
  const auto known = path_mbit_.find(cell.name());
  if (known != path_mbit_.end()) return known->second;
  if (auto problem = check_path(*network_, cell, file_, say_)) return std::unexpected(*problem);
  const auto run = run_cell(*network_, cell, 1, nullptr, plan_.stop);
  if (!run) return failed("bare TCP: " + run.error());
  return path_mbit_[cell.name()] = run->mbit;
}

std::expected<CellRun, std::string> Ceilings::through_tunnel(const Ceiling& ceiling,
                                                             const Cell& cell) {
  TunnelSettings settings{.program = plan_.program,
                          .policy = ceiling.policy,
                          .rekey_window = ceiling.rekey_window,
                          .up_arguments = {}};
  if (ceiling.h2_window_bytes != 0) {
    settings.up_arguments = {"--lab-h2-window", std::to_string(ceiling.h2_window_bytes)};
  }
  network_->link().replace(cell.link(1));
  auto pair = TunnelPair::start(*network_, settings, plan_.stop);
  if (!pair) return std::unexpected(pair.error());
  return run_cell(*network_, cell, 1, pair->get(), plan_.stop);
}

std::expected<CeilingResult, RunError> Ceilings::one(const Ceiling& ceiling) {
  const Cell cell{.rtt_ms = ceiling.rtt_ms, .rate_mbit = 1000, .traffic = ceiling.traffic};
  CeilingResult result{.ceiling = ceiling};
  auto path_rate = path(cell);
  if (!path_rate) return std::unexpected(path_rate.error());
  result.path_mbit = *path_rate;
  const std::uint64_t buffer =
      ceiling.tcp_buffer_bytes != 0 ? ceiling.tcp_buffer_bytes : LabNetwork::kTcpBufferMax;
  if (!network_->set_tcp_buffer_max(buffer).ok()) {
    return failed("cannot set the namespaces' TCP buffers");
  }
  const auto run = through_tunnel(ceiling, cell);
  if (!network_->set_tcp_buffer_max(LabNetwork::kTcpBufferMax).ok()) {
    return failed("cannot set the namespaces' TCP buffers");
  }
  if (!run) return failed(run.error());
  if (!run->void_because.empty()) {
    return std::unexpected(RunError{.text = run->void_because, .path_failed = true});
  }
  result.mbit = run->mbit;
  result.limiter = run->limiter;
  judge(result);
  return result;
}

void Ceilings::say_result(const CeilingResult& result) const {
  const Ceiling& ceiling = result.ceiling;
  const std::string model =
      ceiling.model_mbit > 0 ? format("%.0f", ceiling.model_mbit) : std::string("-");
  say_(format("%-34s %4u ms %8s %8.0f %9.1f  %s %.0f %%%s%s", ceiling.name.c_str(), ceiling.rtt_ms,
              model.c_str(), result.path_mbit, result.mbit, result.limiter.name.c_str(),
              result.limiter.share * 100, result.rate_ok ? "" : "   <- NOT THE RATE",
              result.named_ok ? "" : "   <- NOT NAMED"));
}

std::optional<RunError> Ceilings::begin() {
  if (auto begun = file_.begin(plan_.program, false); !begun) {
    return RunError{.text = begun.error(), .nothing_begun = true};
  }
  auto network = LabNetwork::create(LinkSettings{});
  if (!network.ok()) return RunError{std::string(network.error().kind().text)};
  network_ = std::move(*network);
  if (!file_.add_network(*network_).ok()) return RunError{"cannot write the results"};
  return std::nullopt;
}

std::expected<std::vector<CeilingResult>, RunError> Ceilings::run() {
  if (auto problem = begin()) return std::unexpected(*problem);
  say_(format("%-42s %8s %8s %9s  %s", "", "model", "path", "measured", "limited by"));
  std::vector<CeilingResult> results;
  for (const Ceiling& ceiling : plan_.ceilings) {
    auto result = one(ceiling);
    if (stopped()) return failed("interrupted");
    if (!result) {
      result.error().text = ceiling.name + ": " + result.error().text;
      return std::unexpected(result.error());
    }
    say_result(*result);
    if (!file_.add_ceiling(*result).ok()) return failed("cannot write the results");
    results.push_back(std::move(*result));
  }
  if (auto problem = file_.end(plan_.program)) return failed(*problem);
  return results;
}

Ceiling upwards(Ceiling ceiling) {
  ceiling.name += ", upload";
  ceiling.traffic = Traffic::up;
  return ceiling;
}

}  // namespace

std::vector<Ceiling> all_ceilings() {
  std::vector<Ceiling> out;
  for (const unsigned rtt : {60u, 100u, 210u}) {
    for (const unsigned window : {1u, 2u, 8u, 32u, 64u}) {
      out.push_back({.name = "rekey window " + std::to_string(window),
                     .rtt_ms = rtt,
                     .rekey_window = std::to_string(window),
                     .model_mbit = window_model(window * kExtremeEpochBytes, rtt),
                     .limiters = {"ratchet"}});
    }
    out.push_back({.name = "rekey window auto", .rtt_ms = rtt});
  }
  for (const char* window : {"8", "64"}) {
    out.push_back({.name = std::string("seed's TCP buffers, window ") + window,
                   .rekey_window = window,
                   .tcp_buffer_bytes = kSeedBuffer,
                   .model_mbit = window_model(kSeedBuffer, 60),
                   .least_share = 0.3,
                   .limiters = {"receive window", "send buffer"}});
  }
  const Ceiling buffers{.name = "TCP buffers 2 MiB",
                        .tcp_buffer_bytes = 2 * kMiB,
                        .model_mbit = window_model(2 * kMiB, 60),
                        .least_share = 0.3,
                        .limiters = {"receive window", "send buffer"}};
  const Ceiling h2{.name = "HTTP/2 window 2 MiB",
                   .h2_window_bytes = 2 * kMiB,
                   .model_mbit = window_model(2 * kMiB, 60),
                   .limiters = {"h2 stream credit", "h2 connection credit"}};
  const Ceiling window{.name = "rekey window 8",
                       .rekey_window = "8",
                       .model_mbit = window_model(8 * kExtremeEpochBytes, 60),
                       .limiters = {"ratchet"}};
  out.insert(out.end(), {buffers, h2, upwards(window), upwards(buffers), upwards(h2)});
  for (const char* policy : {"brisk", "normal", "soft"}) {
    out.push_back({.name = std::string("policy ") + policy, .policy = policy});
  }
  return out;
}

void judge(CeilingResult& result) {
  const Ceiling& ceiling = result.ceiling;
  const auto is_limiter = [&result](const std::string& name) {
    return result.limiter.name == name;
  };
  if (result.binds()) {
    result.rate_ok = result.mbit >= ceiling.model_mbit * ceiling.least_share &&
                     result.mbit <= ceiling.model_mbit * kMostOfModel;
    result.named_ok =
        std::ranges::any_of(ceiling.limiters, is_limiter) && result.limiter.share >= kLeastNamed;
    return;
  }
  const bool planted = ceiling.model_mbit > 0;
  const double least = planted ? kLeastBeside : kLeastOfPath;
  result.rate_ok = result.mbit >= result.path_mbit * least;
  const auto plantable = {"ratchet", "send buffer", "h2 stream credit", "h2 connection credit"};
  result.named_ok = planted || std::ranges::none_of(plantable, is_limiter);
}

std::expected<std::vector<CeilingResult>, RunError> run_ceilings(
    const CeilingPlan& plan, const std::function<void(const std::string&)>& say) {
  return Ceilings(plan, say).run();
}

}  // namespace karst::lab
