#include "lab/results_file.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "crypto/digest.h"
#include "crypto/hex.h"
#include "lab/ceilings.h"
#include "lab/comparison.h"
#include "lab/earlier_results.h"
#include "lab/gate.h"
#include "lab/interruption.h"
#include "lab/run_record.h"
#include "lab/soak_verdict.h"
#include "platform/linux/clock.h"
#include "platform/linux/read_file.h"

namespace karst::lab {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFormat = 3;

constexpr std::size_t kFileBytesMax = std::size_t{1} << 30;

ByteVector read_all(const std::string& path) {
  auto bytes = platform::read_file(path, kFileBytesMax);
  return bytes.ok() ? std::move(*bytes) : ByteVector();
}

std::string first_line(const std::string& path) {
  const ByteVector bytes = read_all(path);
  const std::string_view text = as_text(bytes);
  return std::string(text.substr(0, text.find('\n')));
}

std::string hash_of(const std::string& path) {
  const crypto::Sha256Digest digest = crypto::sha256({read_all(path)});
  std::string text(digest.size() * 2, ' ');
  crypto::hex_encode(digest, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
  return text;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return {};
}

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Json machine(const std::string& hash) {
  utsname system{};
  ::uname(&system);
  Json out;
  out["kind"] = "machine";
  out["format"] = kFormat;
  out["date"] = platform::wall_now().seconds;
  out["kernel"] = std::string(system.sysname) + " " + system.release;
  out["machine"] = system.machine;
  out["cpu"] = cpu_model();
  out["processors"] = std::thread::hardware_concurrency();
  out["load_average"] = first_line("/proc/loadavg");
  out["program_sha256"] = hash;
  return out;
}

Json process_json(const ProcessSample& sample) {
  return {{"resident_bytes", sample.resident_bytes},
          {"descriptors", sample.descriptors},
          {"keys", sample.keys},
          {"queued_bytes", sample.queued_bytes},
          {"streams", sample.streams},
          {"deadline_expiries", sample.deadline_expiries}};
}

Json seconds_or_null(const std::optional<Duration>& time) {
  return time ? Json(rounded(seconds(*time))) : Json();
}

}  // namespace

struct ResultsFile::State {
  std::ofstream out;
  std::string hash;  // of the program
  EarlierResults earlier;
};

ResultsFile::ResultsFile(std::string folder)
    : folder_(std::move(folder)), state_(std::make_unique<State>()) {}
ResultsFile::~ResultsFile() = default;

Result<void> ResultsFile::add(const std::string& line) {
  state_->out << line << '\n' << std::flush;
  if (!state_->out) return kNotWritten;
  return {};
}

std::expected<void, std::string> ResultsFile::begin(const std::string& program, bool resume) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  const std::string path = path_in(folder_);
  if (::access(program.c_str(), X_OK) != 0 || std::filesystem::is_directory(program, error)) {
    return std::unexpected(program + " is no program that can be run");
  }
  state_->hash = hash_of(program);
  const bool there = std::filesystem::exists(path);
  if (there && !resume) {
    return std::unexpected(path + " exists; give another --out, or --resume to go on with it");
  }
  if (there) {
    auto earlier = EarlierResults::read(path, state_->hash);
    if (!earlier) return std::unexpected(earlier.error());
    state_->earlier = std::move(*earlier);
  }
  state_->out.open(path, std::ios::app);
  if (!add(machine(state_->hash).dump()).ok()) return std::unexpected("cannot write " + path);
  return {};
}

const EarlierResults& ResultsFile::earlier() const { return state_->earlier; }

Result<void> ResultsFile::add_network(const LabNetwork& network) {
  Json out{{"kind", "network"}};
  for (const Side side : {Side::near, Side::far}) {
    TRY_ASSIGN(const auto settings, network.tcp_settings(side));
    out[side == Side::near ? "near" : "far"] = settings;
  }
  return add(out.dump());
}

Result<void> ResultsFile::add_plan(const GatePlan& plan) {
  Json out{
      {"kind", "plan"},
      {"cells", plan.cells.size()},
      {"settings", plan.settings()},
      {"pairs", plan.pairs},
      {"pairs_max", plan.quick ? kQuickPairsMax : kPairsMax},
      {"quick", plan.quick},
      {"policy", plan.tunnel.policy.empty() ? "default" : plan.tunnel.policy},
      {"rekey_window", plan.tunnel.rekey_window.empty() ? "default" : plan.tunnel.rekey_window}};
  return add(out.dump());
}

Result<void> ResultsFile::add_calibration(const Calibration& found) {
  return add(Json{{"kind", "calibration"},
                  {"cell", found.cell},
                  {"direct_mbit", rounded(found.direct_mbit)},
                  {"direct_mbit_before", rounded(found.direct_mbit_before)},
                  {"tunnel_mbit", rounded(found.tunnel_mbit)},
                  {"tunnel_mbit_before", rounded(found.tunnel_mbit_before)},
                  {"cpu_s_per_gb", rounded(found.cpu_s_per_gb)},
                  {"cpu_s_per_gb_before", rounded(found.cpu_s_per_gb_before)},
                  {"ok", found.ok()}}
                 .dump());
}

Result<void> ResultsFile::add_check(const std::string& path, const SelfCheck& check) {
  Json out{{"kind", "check"}, {"path", path}, {"ok", check.ok()}};
  for (const CheckLine& line : check.lines) {
    out["lines"].push_back({{"what", line.what},
                            {"wanted", line.wanted},
                            {"measured", line.measured},
                            {"ok", line.ok}});
  }
  return add(out.dump());
}

Result<void> ResultsFile::add_run(const Cell& cell, const CellRun& run) {
  return add(run_record(cell, run));
}

Result<void> ResultsFile::add_verdict(const Cell& cell, double ratio, double threshold,
                                      const std::string& verdict) {
  const Json out{{"kind", "verdict"},
                 {"cell", cell.name()},
                 {"ratio", rounded(ratio)},
                 {"threshold", threshold},
                 {"verdict", verdict}};
  return add(out.dump());
}

Result<void> ResultsFile::add_ceiling(const CeilingResult& result) {
  const Json out{{"kind", "ceiling"},
                 {"name", result.ceiling.name},
                 {"rtt_ms", result.ceiling.rtt_ms},
                 {"model_mbit", rounded(result.ceiling.model_mbit)},
                 {"path_mbit", rounded(result.path_mbit)},
                 {"mbit", rounded(result.mbit)},
                 {"limiter", result.limiter.name},
                 {"share", result.limiter.share},
                 {"rate_ok", result.rate_ok},
                 {"named_ok", result.named_ok}};
  return add(out.dump());
}

Result<void> ResultsFile::add_sample(const SoakSample& sample) {
  Json out{{"kind", "sample"}, {"at_s", rounded(seconds(sample.at))}};
  out["client"] = process_json(sample.client);
  out["client"]["attempts"] = sample.client.attempts;
  out["server"] = process_json(sample.server);
  return add(out.dump());
}

Result<void> ResultsFile::add_soak_verdict(const std::vector<SoakRule>& rules, const SoakLoad& load,
                                           bool passed) {
  Json out{{"kind", "verdict"},
           {"soak", passed ? "pass" : "fail"},
           {"bytes", load.bytes},
           {"short_streams", load.short_streams}};
  for (const SoakRule& rule : rules) {
    out["rules"].push_back({{"what", rule.what},
                            {"wanted", rule.wanted},
                            {"measured", rule.measured},
                            {"ok", rule.ok}});
  }
  return add(out.dump());
}

Result<void> ResultsFile::add_interruption(const InterruptionResult& result) {
  const Json out{{"kind", "interruption"},
                 {"name", result.what.name()},
                 {"length_s", rounded(seconds(result.what.length))},
                 {"link_survived", result.link_survived},
                 {"link_ended_by", result.link_ended_by},
                 {"link_again_s", seconds_or_null(result.link_again)},
                 {"up_again_s", seconds_or_null(result.up_again)},
                 {"down_again_s", seconds_or_null(result.down_again)},
                 {"streams_ended", result.streams_ended},
                 {"streams_ended_orderly", result.streams_ended_orderly},
                 {"problems", result.problems}};
  return add(out.dump());
}

Result<void> ResultsFile::add_peer(const PeerState& state) {
  return add(Json{{"kind", "peer"},
                  {"peer", state.peer.name},
                  {"version", state.version},
                  {"settings", state.peer.settings},
                  {"absent", state.absent}}
                 .dump());
}

Result<void> ResultsFile::add_failure(const Cell& cell, const std::string& name, std::uint64_t seed,
                                      const std::string& reason) {
  const Json out{{"kind", "failure"},
                 {"cell", cell.name()},
                 {"peer", name},
                 {"seed", seed},
                 {"reason", reason}};
  // A program's log may hold bytes that are no text.
  return add(out.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Result<void> ResultsFile::add_standing(const Cell& cell, const Standing& standing) {
  return add(Json{{"kind", "standing"},
                  {"cell", cell.name()},
                  {"peer", standing.name},
                  {"runs", standing.runs.size()},
                  {"failures", standing.failures.size()},
                  {"mbit", rounded(standing.mbit())},
                  {"spread", rounded(standing.spread())},
                  {"ratio", rounded(standing.ratio())},
                  {"cpu_s_per_gb", rounded(standing.cpu_s_per_gb())},
                  {"machine_idle", rounded(standing.machine_idle())},
                  {"client_peak_bytes", standing.client_peak_bytes()},
                  {"server_peak_bytes", standing.server_peak_bytes()},
                  {"first_byte_ms", rounded(standing.first_byte_ms())}}
                 .dump());
}

std::optional<std::string> ResultsFile::end(const std::string& program) {
  const std::string now = hash_of(program);
  if (!add(Json{{"kind", "end"}, {"program_sha256", now}}.dump()).ok())
    return "cannot write the results";
  if (now != state_->hash) return "the program was replaced while it was measured: the run is void";
  return std::nullopt;
}

}  // namespace karst::lab
