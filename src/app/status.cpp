#include "app/status.h"

#include <unistd.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/failure.h"
#include "app/version.h"

namespace karst::app {
namespace {

using Json = nlohmann::ordered_json;
using tunnel::Limiter;
using tunnel::LimiterAccount;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Json limiter_json(const LimiterAccount::Times& times) {
  const auto shares = LimiterAccount::shares(times);
  Json out = Json::object();
  for (std::size_t i = 1; i < shares.size(); ++i) {
    out[std::string(tunnel::name(static_cast<Limiter>(i)))] = std::round(shares[i] * 1e4) / 1e4;
  }
  return out;
}

Json link_json(stream::Link& link, driver::LinkMeter& meter, TimePoint now) {
  const auto counters = link.ratchet().counters(now);
  const auto& parameters = link.parameters();
  const auto status = link.mux().status();
  const auto& mux = link.mux().counters();
  Json out;
  out["policy"] = {{"epoch_bytes", parameters.policy.bytes},
                   {"epoch_frames", parameters.policy.frames},
                   {"epoch_active_ms", parameters.policy.active_ms}};
  out["rekey_window"] = parameters.rekey_window;
  out["send"] = {{"epoch", counters.send_epoch},
                 {"depth_target", counters.depth_target},
                 {"depth_offered", counters.depth_offered},
                 {"depth_prepared", counters.depth_prepared},
                 {"offers", counters.offers_sent},
                 {"acks", counters.acks_received},
                 {"deadline_expiries", counters.deadline_expiries},
                 {"bytes", mux.data_bytes_sent},
                 {"queued_bytes", status.send_queued_bytes},
                 {"window_bytes", status.send_window}};
  out["receive"] = {{"epoch", counters.receive_epoch},
                    {"prepared", counters.receive_prepared},
                    {"bytes", mux.data_bytes_received},
                    {"queued_bytes", status.receive_queued_bytes},
                    {"window_bytes", status.receive_window}};
  out["exposed_bytes"] = counters.exposed_bytes;
  out["streams"] = status.streams;
  out["streams_opened"] = mux.streams_opened;
  out["rekey_wait_seconds"] = seconds(link.ratchet().blocked_time().total(now));
  out["limiter"] = {{"now", std::string(tunnel::name(meter.account().current()))},
                    {"recent", limiter_json(meter.account().recent(now))},
                    {"total", limiter_json(meter.account().total(now))}};
  const auto& tcp = meter.tcp();
  out["tcp"] = {{"rtt_ms", seconds(tcp.rtt) * 1e3},
                {"congestion_window", tcp.congestion_window},
                {"delivery_rate", tcp.delivery_rate},
                {"retransmitted_segments", tcp.retransmitted_segments}};
  return out;
}

}  // namespace

std::string server_status(driver::ServerNode& node, const keys::NodeId& self,
                          const keys::ClientRegistry& registry, driver::Ports& ports,
                          bool draining) {
  const TimePoint now = ports.now();
  Json out;
  out["role"] = "server";
  out["version"] = kVersion;
  out["pid"] = ::getpid();
  out["ready"] = !draining && !node.listening().empty();
  out["node"] = self.text();
  for (const Endpoint& at : node.listening()) out["listen"].push_back(at.text());
  out["connections"] = node.connections();
  out["clients"] = registry.clients().size();
  out["links"] = Json::array();
  for (driver::ServerSession* session : node.peers()) {
    if (session->link() == nullptr || session->meter() == nullptr) continue;
    Json link = link_json(*session->link(), *session->meter(), now);
    link["client"] = session->peer()->name();
    link["address"] = session->remote().text();
    link["up_seconds"] = seconds(now - session->up_since());
    link["tcp"]["congestion_control"] = session->congestion_control();
    out["links"].push_back(std::move(link));
  }
  return out.dump();
}

std::string client_status(driver::ClientNode& node, const driver::ProxyPort& proxy,
                          const keys::NodeId& self, const keys::NodeId& server,
                          driver::Ports& ports) {
  const TimePoint now = ports.now();
  driver::ClientLink* link = node.link();
  const bool up = node.session().has_value() && node.streams() != nullptr;
  Json out;
  out["role"] = "client";
  out["version"] = kVersion;
  out["pid"] = ::getpid();
  out["ready"] = up;
  out["node"] = self.text();
  out["server"] = server.text();
  out["enrolled"] = node.enrolled();
  out["phase"] = up                                                     ? "up"
                 : link == nullptr                                      ? "waiting"
                 : link->phase() == driver::ClientLink::Phase::dialing  ? "connecting"
                 : link->phase() == driver::ClientLink::Phase::securing ? "securing"
                                                                        : "closing";
  out["attempts"] = node.attempts();
  if (node.last_error()) out["error"] = describe(*node.last_error());
  if (node.next_attempt()) out["next_attempt_seconds"] = seconds(*node.next_attempt() - now);
  for (const Endpoint& at : proxy.listening()) out["proxy"].push_back(at.text());
  out["proxy_connections"] = proxy.connections();
  out["links"] = Json::array();
  if (up && link->meter() != nullptr) {
    Json json = link_json(*link->link(), *link->meter(), now);
    json["server"] = link->server().text();
    json["up_seconds"] = seconds(now - link->up_since());
    json["tcp"]["congestion_control"] = link->congestion_control();
    json["carrier"] = "stream";
    if (const auto time = link->server_time()) {
      // Who is wrong cannot be known from here; that they differ should be.
      json["clock_offset_seconds"] = ports.wall_time().seconds - time->seconds;
    }
    out["links"].push_back(std::move(json));
  }
  return out.dump();
}

std::string human_rate(double bits) {
  const std::array<const char*, 4> units = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
  std::size_t unit = 0;
  while (bits >= 1000 && unit + 1 < units.size()) {
    bits /= 1000;
    ++unit;
  }
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f %s", bits < 10 && unit > 0 ? 1 : 0, bits, units[unit]);
  return out;
}

std::string human_bytes(double bytes) {
  const std::array<const char*, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < units.size()) {
    bytes /= 1024;
    ++unit;
  }
  char out[32];
  std::snprintf(out, sizeof(out), "%.*f %s", bytes < 10 && unit > 0 ? 1 : 0, bytes, units[unit]);
  return out;
}

std::string human_time(double value) {
  const auto total = static_cast<long>(value);
  char out[48];
  if (total < 60) {
    std::snprintf(out, sizeof(out), "%ld s", total);
  } else if (total < 3600) {
    std::snprintf(out, sizeof(out), "%ld min %ld s", total / 60, total % 60);
  } else if (total < 86'400) {
    std::snprintf(out, sizeof(out), "%ld h %ld min", total / 3600, total % 3600 / 60);
  } else {
    std::snprintf(out, sizeof(out), "%ld d %ld h", total / 86'400, total % 86'400 / 3600);
  }
  return out;
}

namespace {

std::string join(const Json& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + item.get<std::string>();
  return out;
}

std::string render_limits(const Json& recent) {
  std::string out;
  for (const auto& [name, share] : recent.items()) {
    const int percent = static_cast<int>(std::lround(share.get<double>() * 100));
    if (percent > 0) out += (out.empty() ? "" : ", ") + name + " " + std::to_string(percent) + " %";
  }
  return out.empty() ? "nothing to send" : out;
}

void render_link(const Json& link, std::string& out) {
  const auto line = [&out](const std::string& label, const std::string& text) {
    out += "  " + label + std::string(label.size() < 12 ? 12 - label.size() : 1, ' ') + text + "\n";
  };
  const auto& tcp = link["tcp"];
  char rtt[32];
  std::snprintf(rtt, sizeof(rtt), "%.1f ms", tcp["rtt_ms"].get<double>());
  line("up", human_time(link["up_seconds"].get<double>()) + ", " +
                 std::to_string(link["streams"].get<int>()) + " streams open, RTT " + rtt + ", " +
                 tcp["congestion_control"].get<std::string>());
  line("carried", human_bytes(link["send"]["bytes"].get<double>()) + " sent, " +
                      human_bytes(link["receive"]["bytes"].get<double>()) + " received");
  line("keys", "epoch " + std::to_string(link["send"]["epoch"].get<std::uint64_t>()) + " out, " +
                   std::to_string(link["receive"]["epoch"].get<std::uint64_t>()) + " in; " +
                   std::to_string(link["send"]["depth_prepared"].get<std::uint64_t>()) +
                   " prepared; at most " + human_bytes(link["exposed_bytes"].get<double>()) +
                   " exposed by a seizure now");
  line("last 10 s", render_limits(link["limiter"]["recent"]));
  if (link.contains("clock_offset_seconds")) {
    const auto offset = link["clock_offset_seconds"].get<std::int64_t>();
    if (std::abs(offset) > 90) {
      line("clock", "differs from the server's by " +
                        human_time(static_cast<double>(std::abs(offset))) +
                        (offset > 0 ? " (ahead)" : " (behind)"));
    }
  }
}

}  // namespace

std::string render_status(const std::string& text) {
  const Json status = Json::parse(text, nullptr, false);
  if (status.is_discarded()) return "the daemon's answer cannot be read\n";
  std::string out;
  if (status["role"] == "server") {
    out += std::string("server ") + (status["ready"].get<bool>() ? "running" : "not accepting") +
           " on " + (status.contains("listen") ? join(status["listen"]) : "nothing") + "\n";
    out += "  node        " + status["node"].get<std::string>() + "\n";
    out += "  clients     " + std::to_string(status["clients"].get<int>()) + " known, " +
           std::to_string(status["links"].size()) + " connected\n";
    for (const auto& link : status["links"]) {
      out +=
          link["client"].get<std::string>() + " from " + link["address"].get<std::string>() + "\n";
      render_link(link, out);
    }
    return out;
  }
  const std::string phase = status["phase"].get<std::string>();
  if (status["links"].empty()) {
    out += "tunnel " + phase + "\n";
  } else {
    out += "tunnel up to " + status["links"][0]["server"].get<std::string>() + " over HTTPS\n";
  }
  if (status.contains("error")) out += "  last error  " + status["error"].get<std::string>() + "\n";
  if (status.contains("next_attempt_seconds")) {
    out += "  next try    in " +
           human_time(std::max(0.0, status["next_attempt_seconds"].get<double>())) + "\n";
  }
  if (status.contains("proxy")) {
    out += "  proxy       " + join(status["proxy"]) + " (SOCKS5 and HTTP), " +
           std::to_string(status["proxy_connections"].get<int>()) + " connections\n";
  }
  for (const auto& link : status["links"]) render_link(link, out);
  return out;
}

}  // namespace karst::app
