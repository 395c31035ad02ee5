#include "lab/cell.h"

#include <sys/resource.h>

#include <algorithm>
#include <thread>

#include "lab/link_options.h"
#include "lab/machine_account.h"
#include "lab/void_run.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kLoadPort = 5201;

// What is looked at while everything flows: how busy the machine is in the second half, and,
// through a tunnel, the state of both ends at its end.
struct Probe {
  Probe(const Tunnel* tunnel, Duration length) {
    thread = std::thread([this, tunnel, length, start = platform::monotonic_now()] {
      platform::wait_until(start + length / 2);
      const MachineAccount middle = machine_account();
      platform::wait_until(start + length - 700ms);
      machine_idle = idle_share(middle, machine_account());
      if (tunnel == nullptr) return;
      client = tunnel->client_status();
      server = tunnel->server_status();
    });
  }
  Probe(const Probe&) = delete;
  ~Probe() { join(); }
  void join() {
    if (thread.joinable()) thread.join();
  }

  double machine_idle = 1;
  std::string client;
  std::string server;
  std::thread thread;
};

Duration time_of(const timeval& value) {
  return std::chrono::seconds(value.tv_sec) + std::chrono::microseconds(value.tv_usec);
}

// Processor time of this process so far.
Duration own_cpu() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return time_of(usage.ru_utime) + time_of(usage.ru_stime);
}

Limiter sending_limiter(Traffic traffic, const std::string& client, const std::string& server) {
  if (traffic == Traffic::up) return limiter_in(client);
  if (traffic == Traffic::down) return limiter_in(server);
  return std::ranges::max({limiter_in(client), limiter_in(server)}, {}, &Limiter::share);
}

std::vector<double> per_half_second(const LoadResult& load) {
  std::vector<double> out;
  for (Duration at{}; at < load.length; at += 500ms) {
    out.push_back((load.rate(true, at, at + 500ms) + load.rate(false, at, at + 500ms)) / 1e6);
  }
  return out;
}

}  // namespace

std::string traffic_name(Traffic traffic) {
  switch (traffic) {
    case Traffic::up:
      return "up";
    case Traffic::down:
      return "down";
    case Traffic::both:
      return "both";
  }
  return {};
}

std::string Cell::name() const {
  return path() + " " + traffic_name(traffic) + " x" + std::to_string(streams);
}

std::string Cell::path() const {
  return std::to_string(rtt_ms) + "/" + std::to_string(rate_mbit) + "/" + loss;
}

LinkSettings Cell::link(std::uint64_t seed) const {
  LinkOptions options;
  options.rtt = std::to_string(rtt_ms);
  options.rate = std::to_string(rate_mbit);
  options.loss = loss;
  options.seed = seed;
  return parse_link(options).value();
}

Duration Cell::length() const {
  if (seconds != 0) return std::chrono::seconds(seconds);
  return rtt_ms > 100 ? 14s : 8s;
}

double Cell::capacity_mbit() const {
  constexpr double kSegment = 1500, kPayload = kSegment - 20 - 32;
  return rate_mbit * (kPayload / kSegment) * (traffic == Traffic::both ? 2 : 1);
}

double CellRun::cpu_s_per_gb() const {
  const double seconds = std::chrono::duration<double>(client_cpu + server_cpu).count();
  return bytes > 0 ? seconds / (static_cast<double>(bytes) / 1e9) : 0;
}

bool CellRun::deadline_expired() const {
  return deadline_expired_in(client_status) || deadline_expired_in(server_status);
}

Endpoint load_target() { return {LabNetwork::address_v4(Side::far), kLoadPort}; }

std::expected<CellRun, std::string> run_cell(LabNetwork& network, const Cell& cell,
                                             std::uint64_t seed, const Tunnel* tunnel,
                                             const std::atomic<bool>* stop) {
  if (tunnel == nullptr) {
    network.link().replace(cell.link(seed));
  } else {
    network.link().change(cell.link(seed));  // what the tunnel has under way is not lost by that
  }
  CellRun run;
  run.tunnel = tunnel != nullptr;
  run.seed = seed;
  const Tunnel::Account before = tunnel != nullptr ? tunnel->account() : Tunnel::Account{};
  const Duration cpu_before = own_cpu();
  Probe probe(tunnel, cell.length());
  const auto load = run_load(
      {.near = &network.at(Side::near),
       .far = &network.at(Side::far),
       .route = tunnel != nullptr ? tunnel->route()
                                  : Route{.target = load_target(), .socks = {}, .dial = {}},
       .traffic = cell.traffic,
       .streams = cell.streams,
       .length = cell.length(),
       .stop = stop});
  probe.join();
  if (!load.ok()) return std::unexpected(std::string(load.error().kind().text));
  run.lab_cpu = own_cpu() - cpu_before;
  const Duration half = cell.length() / 2;
  run.mbit_up = load->rate(true, half, cell.length()) / 1e6;
  run.mbit_down = load->rate(false, half, cell.length()) / 1e6;
  run.mbit = std::min(run.mbit_up + run.mbit_down, cell.capacity_mbit());
  run.mbit_per_half_second = per_half_second(*load);
  for (const StreamResult& stream : load->streams) {
    run.bytes += stream.bytes;
    run.silence_max = std::max(run.silence_max, stream.silence_max);
    run.first_byte_ms = std::max(
        run.first_byte_ms, std::chrono::duration<double, std::milli>(stream.first_byte).count());
  }
  run.senders = load->senders;
  run.wire = network.link().report();
  run.void_because = void_reason(cell, run.wire).value_or("");
  run.machine_idle = probe.machine_idle;
  if (tunnel == nullptr) return run;
  const Tunnel::Account after = tunnel->account();
  run.client_cpu = after.client.cpu - before.client.cpu;
  run.server_cpu = after.server.cpu - before.server.cpu;
  run.client_peak_bytes = after.client.peak_bytes;
  run.server_peak_bytes = after.server.peak_bytes;
  run.client_status = std::move(probe.client);
  run.server_status = std::move(probe.server);
  run.limiter = sending_limiter(cell.traffic, run.client_status, run.server_status);
  return run;
}

}  // namespace karst::lab
