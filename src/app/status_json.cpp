#include "app/status_json.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "app/advice.h"
#include "app/failure.h"
#include "app/version.h"

namespace karst::app {
namespace {

using Json = nlohmann::ordered_json;
using tunnel::Limiter;
using tunnel::LimiterAccount;

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// Shares to a hundredth of a percent.
double rounded(double share) { return std::round(share * 1e4) / 1e4; }

Json limiter_json(const LimiterAccount::Times& times) {
  const auto shares = LimiterAccount::shares(times);
  Json out = Json::object();
  for (std::size_t i = 1; i < shares.size(); ++i) {
    out[std::string(tunnel::name(static_cast<Limiter>(i)))] = rounded(shares[i]);
  }
  return out;
}

// How many streams are told by themselves: those that have moved most of each link, and of all
// links together, so that the answer stays far below kControlReplyBytesMax however many there are.
constexpr std::size_t kStreamsOfLink = 32;
constexpr std::size_t kStreamsOfAll = 4096;

Json stream_json(stream::mux::StreamId id, const stream::mux::StreamStatus& status, TimePoint now) {
  using stream::mux::Wait;
  using stream::mux::WaitAccount;
  const auto shares = WaitAccount::shares(status.waits.total(now));
  Json waits = Json::object();
  for (std::size_t i = 1; i < shares.size(); ++i) {
    waits[std::string(stream::mux::name(static_cast<Wait>(i)))] = rounded(shares[i]);
  }
  return {{"id", static_cast<std::uint32_t>(id)},
          {"sent_bytes", status.sent},
          {"received_bytes", status.received},
          {"send_queued_bytes", status.send_queued_bytes},
          {"send_credit_bytes", status.send_limit - status.sent},
          {"waits_for",
           {{"now", std::string(stream::mux::name(status.waits.current()))},
            {"total", std::move(waits)}}}};
}

Json busiest_streams(const stream::mux::Mux& mux, std::size_t most, TimePoint now) {
  Json out = Json::array();
  if (most == 0) return out;
  using Item = std::pair<std::uint64_t, stream::mux::StreamId>;  // bytes moved
  std::vector<Item> all;
  mux.for_each_stream([&](stream::mux::StreamId id, wire::StreamKind kind) {
    if (kind != wire::StreamKind::tcp) return;
    const auto status = mux.status(id);
    all.emplace_back(status->sent + status->received, id);
  });
  const auto told = all.begin() + static_cast<std::ptrdiff_t>(std::min(most, all.size()));
  std::ranges::partial_sort(all, told, std::greater(), &Item::first);
  for (auto item = all.begin(); item != told; ++item) {
    out.push_back(stream_json(item->second, *mux.status(item->second), now));
  }
  return out;
}

// Finished waits for a key. Of a percentile, the top of its bucket: up to an eighth too much.
Json waits_json(const LogHistogram& waits) {
  Json out{{"count", waits.total()}};
  for (const auto& [name, percent] :
       {std::pair{"p50_ms", 50u}, {"p90_ms", 90u}, {"p99_ms", 99u}, {"max_ms", 100u}}) {
    out[name] = static_cast<double>(waits.percentile(percent)) / 1e3;
  }
  return out;
}

// What TCP has carried of a link, from its first byte on.
struct WireBytes {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

Json link_json(stream::Link& link, driver::LinkMeter& meter, const WireBytes& wire,
               std::size_t streams_told, TimePoint now) {
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
                 {"wire_bytes", wire.sent},
                 {"queued_bytes", status.send_queued_bytes},
                 {"window_bytes", status.send_window}};
  out["receive"] = {{"epoch", counters.receive_epoch},
                    {"prepared", counters.receive_prepared},
                    {"offers_waiting", counters.offers_waiting},
                    {"bytes", mux.data_bytes_received},
                    {"wire_bytes", wire.received},
                    {"queued_bytes", status.receive_queued_bytes},
                    {"window_bytes", status.receive_window}};
  out["exposed_bytes"] = counters.exposed_bytes;
  out["streams"] = status.streams;
  out["streams_opened"] = mux.streams_opened;
  out["busiest_streams"] = busiest_streams(link.mux(), streams_told, now);
  out["rekey_wait_seconds"] = seconds(link.ratchet().blocked_time().total(now));
  out["rekey_waits"] = waits_json(link.ratchet().blocked_time().waits());
  out["limiter"] = {{"now", std::string(tunnel::name(meter.account().current()))},
                    {"recent", limiter_json(meter.account().recent(now))},
                    {"total", limiter_json(meter.account().total(now))}};
  if (const auto& report = meter.peer_report()) {
    Json shares = Json::object();
    for (std::size_t i = 0; i < report->shares.size(); ++i) {
      shares[std::string(tunnel::name(static_cast<Limiter>(i + 1)))] =
          report->shares[i] / static_cast<double>(wire::kReportShareWhole);
    }
    out["peer"] = {{"congestion_control", report->congestion_control},
                   {"limiter", {{"recent", std::move(shares)}}}};
  }
  const auto& tcp = meter.tcp();
  out["tcp"] = {
      {"rtt_ms", seconds(tcp.rtt) * 1e3},   {"congestion_window", tcp.congestion_window},
      {"delivery_rate", tcp.delivery_rate}, {"retransmitted_segments", tcp.retransmitted_segments},
      {"send_buffer", tcp.send_buffer},     {"receive_buffer", tcp.receive_buffer}};
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
  const auto peers = node.peers();
  const std::size_t streams_told =
      std::min(kStreamsOfLink, kStreamsOfAll / std::max<std::size_t>(1, peers.size()));
  for (driver::ServerSession* session : peers) {
    if (session->link() == nullptr || session->meter() == nullptr) continue;
    Json link = link_json(*session->link(), *session->meter(),
                          {session->bytes_written(), session->bytes_read()}, streams_told, now);
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
  if (link != nullptr) out["address"] = link->server().text();
  out["attempts"] = node.attempts();
  if (node.last_error()) {
    out["error"] = describe(*node.last_error());
    if (!advice(*node.last_error()).empty()) out["advice"] = advice(*node.last_error());
  }
  if (node.next_attempt()) out["next_attempt_seconds"] = seconds(*node.next_attempt() - now);
  for (const Endpoint& at : proxy.listening()) out["proxy"].push_back(at.text());
  out["proxy_connections"] = proxy.connections();
  out["links"] = Json::array();
  if (up && link->meter() != nullptr && link->carrier() != nullptr) {
    const driver::CarrierSocket& carrier = *link->carrier();
    Json json = link_json(*link->link(), *link->meter(),
                          {carrier.bytes_written(), carrier.bytes_read()}, kStreamsOfLink, now);
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

}  // namespace karst::app
