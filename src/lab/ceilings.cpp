#include "lab/ceilings.h"

#include <algorithm>
#include <map>

#include "lab/format.h"
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
  Ceilings(const std::string& program, const std::string& folder,
           const std::function<void(const std::string&)>& say)
      : program_(program), say_(say), file_(folder) {}

  std::expected<std::vector<CeilingResult>, std::string> run(const std::vector<Ceiling>& ceilings);

 private:
  std::expected<CeilingResult, std::string> one(const Ceiling& ceiling);
  std::expected<double, std::string> path(const Cell& cell);

  const std::string& program_;
  const std::function<void(const std::string&)>& say_;
  ResultsFile file_;
  std::unique_ptr<LabNetwork> network_;
  std::map<unsigned, double> path_mbit_;  // of bare TCP, by RTT
};

std::expected<double, std::string> Ceilings::path(const Cell& cell) {
  const auto known = path_mbit_.find(cell.rtt_ms);
  if (known != path_mbit_.end()) return known->second;
  const auto run = run_cell(*network_, cell, 1, nullptr);
  if (!run) return std::unexpected(run.error());
  return path_mbit_[cell.rtt_ms] = run->mbit;
}

std::expected<CeilingResult, std::string> Ceilings::one(const Ceiling& ceiling) {
  const Cell cell{.rtt_ms = ceiling.rtt_ms, .rate_mbit = 1000};
  CeilingResult result{.ceiling = ceiling};
  auto path_rate = path(cell);
  if (!path_rate) return std::unexpected(path_rate.error());
  result.path_mbit = *path_rate;
  TunnelSettings settings{.program = program_,
                          .policy = ceiling.policy,
                          .rekey_window = ceiling.rekey_window,
                          .up_arguments = {}};
  if (ceiling.h2_window_bytes != 0) {
    settings.up_arguments = {"--lab-h2-window", std::to_string(ceiling.h2_window_bytes)};
  }
  network_->link().replace(cell.link(1));
  const std::uint64_t buffer =
      ceiling.tcp_buffer_bytes != 0 ? ceiling.tcp_buffer_bytes : LabNetwork::kTcpBufferMax;
  if (!network_->set_tcp_buffer_max(buffer).ok()) {
    return std::unexpected("cannot set the namespaces' TCP buffers");
  }
  auto pair = TunnelPair::start(*network_, settings);
  if (!pair) return std::unexpected(pair.error());
  const auto run = run_cell(*network_, cell, 1, pair->get());
  if (!network_->set_tcp_buffer_max(LabNetwork::kTcpBufferMax).ok()) {
    return std::unexpected("cannot set the namespaces' TCP buffers");
  }
  if (!run) return std::unexpected(run.error());
  result.mbit = run->mbit;
  result.limiter = limiter_in(run->server_status);
  const bool binds = ceiling.model_mbit > 0 && ceiling.model_mbit < result.path_mbit;
  result.rate_ok = !binds || (result.mbit >= ceiling.model_mbit * ceiling.least_share &&
                              result.mbit <= ceiling.model_mbit * kMostOfModel);
  result.named_ok =
      !binds || std::ranges::find(ceiling.limiters, result.limiter.name) != ceiling.limiters.end();
  return result;
}

std::expected<std::vector<CeilingResult>, std::string> Ceilings::run(
    const std::vector<Ceiling>& ceilings) {
  if (auto begun = file_.begin(program_, false); !begun) return std::unexpected(begun.error());
  auto network = LabNetwork::create(LinkSettings{});
  if (!network.ok()) return std::unexpected(std::string(network.error().kind().text));
  network_ = std::move(*network);
  if (!file_.add_network(*network_).ok()) return std::unexpected("cannot write the results");
  say_(format("%-34s %8s %8s %9s  %s", "", "model", "path", "measured", "limited by"));
  std::vector<CeilingResult> results;
  for (const Ceiling& ceiling : ceilings) {
    auto result = one(ceiling);
    if (!result) return std::unexpected(ceiling.name + ": " + result.error());
    const std::string model =
        ceiling.model_mbit > 0 ? format("%.0f", ceiling.model_mbit) : std::string("-");
    say_(format("%-26s %4u ms %8s %8.0f %9.1f  %s %.0f %%%s%s", ceiling.name.c_str(),
                ceiling.rtt_ms, model.c_str(), result->path_mbit, result->mbit,
                result->limiter.name.c_str(), result->limiter.share * 100,
                result->rate_ok ? "" : "   <- NOT THE MODEL",
                result->named_ok ? "" : "   <- NOT NAMED"));
    if (!file_.add_ceiling(*result).ok()) return std::unexpected("cannot write the results");
    results.push_back(std::move(*result));
  }
  if (auto problem = file_.end(program_)) return std::unexpected(*problem);
  return results;
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
  out.push_back({.name = "TCP buffers 2 MiB",
                 .tcp_buffer_bytes = 2 * kMiB,
                 .model_mbit = window_model(2 * kMiB, 60),
                 .least_share = 0.3,
                 .limiters = {"receive window", "send buffer"}});
  out.push_back({.name = "HTTP/2 window 2 MiB",
                 .h2_window_bytes = 2 * kMiB,
                 .model_mbit = window_model(2 * kMiB, 60),
                 .limiters = {"h2 stream credit", "h2 connection credit"}});
  for (const char* policy : {"brisk", "normal", "soft"}) {
    out.push_back({.name = std::string("policy ") + policy, .policy = policy});
  }
  return out;
}

std::expected<std::vector<CeilingResult>, std::string> run_ceilings(
    const std::vector<Ceiling>& ceilings, const std::string& program, const std::string& folder,
    const std::function<void(const std::string&)>& say) {
  return Ceilings(program, folder, say).run(ceilings);
}

}  // namespace karst::lab
