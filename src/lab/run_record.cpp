#include "lab/run_record.h"

#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "lab/format.h"

namespace karst::lab {
namespace {

using Json = nlohmann::ordered_json;

double milliseconds(Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}
double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
Duration from_seconds(double value) { return Duration(static_cast<std::int64_t>(value * 1e9)); }

std::string hex(std::uint64_t value) {
  return format("%016llx", static_cast<unsigned long long>(value));
}

Json wire_json(const DirectionCounters& counters) {
  return {{"segments", counters.segments},
          {"bytes", counters.bytes},
          {"delivered", counters.delivered},
          {"lost", counters.lost},
          {"queue_dropped", counters.queue_dropped},
          {"lost_digest", hex(counters.fates)},
          {"early_lost_digest", hex(counters.early_fates)},
          {"overrun", counters.overrun},
          {"late_max_ms", rounded(milliseconds(counters.late_max))}};
}

Json status_json(const std::string& text) {
  return text.empty() ? Json() : Json::parse(text, nullptr, false);
}

void add_senders(Json& out, const CellRun& run) {
  for (const SenderTcp& sender : run.senders) {
    out["senders"].push_back({{"up", sender.up},
                              {"congestion_control", sender.congestion_control},
                              {"retransmitted_segments", sender.retransmitted_segments},
                              {"rtt_ms", rounded(milliseconds(sender.rtt))},
                              {"send_buffer", sender.buffers.send},
                              {"receive_buffer", sender.buffers.receive}});
  }
}

// What only a run through a tunnel has.
void add_tunnel(Json& out, const CellRun& run) {
  out["limiter"] = run.limiter.name;
  out["limiter_share"] = run.limiter.share;
  out["client_cpu_s"] = rounded(seconds(run.client_cpu));
  out["server_cpu_s"] = rounded(seconds(run.server_cpu));
  out["cpu_s_per_gb"] = rounded(run.cpu_s_per_gb());
  out["client_peak_bytes"] = run.client_peak_bytes;
  out["server_peak_bytes"] = run.server_peak_bytes;
  out["client_status"] = status_json(run.client_status);
  out["server_status"] = status_json(run.server_status);
}

}  // namespace

double rounded(double value) { return std::round(value * 1000) / 1000; }

std::string run_record(const Cell& cell, const CellRun& run) {
  Json out;
  out["kind"] = "run";
  out["cell"] = cell.name();
  out["rtt_ms"] = cell.rtt_ms;
  out["rate_mbit"] = cell.rate_mbit;
  out["loss_percent"] = cell.loss;
  out["traffic"] = traffic_name(cell.traffic);
  out["streams"] = cell.streams;
  out["seed"] = run.seed;
  out["tunnel"] = run.tunnel;
  if (!run.peer.empty()) out["peer"] = run.peer;
  out["mbit_up"] = rounded(run.mbit_up);
  out["mbit_down"] = rounded(run.mbit_down);
  out["mbit"] = rounded(run.mbit);
  out["first_byte_ms"] = rounded(run.first_byte_ms);
  out["silence_max_ms"] = rounded(milliseconds(run.silence_max));
  out["bytes"] = run.bytes;
  out["machine_idle"] = rounded(run.machine_idle);
  out["lab_cpu_s"] = rounded(seconds(run.lab_cpu));
  if (!run.void_because.empty()) out["void"] = run.void_because;
  for (const double rate : run.mbit_per_half_second) {
    out["mbit_per_half_second"].push_back(std::round(rate * 10) / 10);
  }
  out["wire"] = {{"forward", wire_json(run.wire.forward)},
                 {"back", wire_json(run.wire.back)},
                 {"write_failures", run.wire.write_failures}};
  add_senders(out, run);
  if (run.tunnel) add_tunnel(out, run);
  return out.dump();
}

CellRun run_from_record(const std::string& line) {
  const Json record = Json::parse(line);
  CellRun run;
  run.tunnel = record.at("tunnel");
  run.seed = record.at("seed");
  run.mbit_up = record.at("mbit_up");
  run.mbit_down = record.at("mbit_down");
  run.mbit = record.at("mbit");
  run.bytes = record.at("bytes");
  run.machine_idle = record.at("machine_idle");
  run.lab_cpu = from_seconds(record.at("lab_cpu_s"));
  run.void_because = record.value("void", "");
  if (!run.tunnel) return run;
  run.limiter = {record.at("limiter"), record.at("limiter_share")};
  run.client_cpu = from_seconds(record.at("client_cpu_s"));
  run.server_cpu = from_seconds(record.at("server_cpu_s"));
  return run;
}

}  // namespace karst::lab
