#include "app/status_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/human_text.h"

namespace karst::app {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }
std::uint64_t number(const Json& object, const char* key) {
  return object.at(key).get<std::uint64_t>();
}
double real(const Json& object, const char* key) { return object.at(key).get<double>(); }

// "  label       what", on rows of 80 columns.
std::string line(const std::string& label, const std::string& what) {
  constexpr std::size_t kTextColumn = 14;
  std::string text = "  " + label;
  text.resize(std::max(text.size() + 1, kTextColumn), ' ');
  std::string out;
  for (const std::string& row : wrapped(text + what, kTextColumn, 80)) out += row + "\n";
  return out;
}

std::string joined(const Json& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + item.get<std::string>();
  return out;
}

std::string render_limits(const Json& recent) {
  std::string out;
  for (const auto& [name, share] : recent.items()) {
    const long percent = std::lround(share.get<double>() * 100);
    if (percent <= 0) continue;
    // To a person the application is no limit: it has sent what it wanted to.
    const std::string shown = name == "application" ? "nothing waiting" : name;
    out += (out.empty() ? "" : ", ") + shown + " " + std::to_string(percent) + " %";
  }
  return out.empty() ? "nothing to send" : out;
}

// What TCP carried: everything that TLS, HTTP/2, WebSocket, records and keys add included.
std::string render_wire(double wire, double data) {
  std::string out = human_bytes(wire);
  // Of less, the handshake is most, and the share says nothing.
  constexpr double kEnoughToCompare = 1 << 20;
  if (data >= kEnoughToCompare) {
    char more[32];
    std::snprintf(more, sizeof(more), " (+%.1f %%)", std::max(0.0, wire / data - 1) * 100);
    out += more;
  }
  return out;
}

std::string render_link(const Json& link) {
  const Json& send = link.at("send");
  const Json& receive = link.at("receive");
  const Json& tcp = link.at("tcp");
  char rtt[32];
  std::snprintf(rtt, sizeof(rtt), "%.1f ms", real(tcp, "rtt_ms"));
  std::string out =
      line("up", human_time(real(link, "up_seconds")) + ", " +
                     counted(number(link, "streams"), "stream") + " open, RTT " + rtt + ", " +
                     text(tcp, "congestion_control")) +
      line("carried", human_bytes(real(send, "bytes")) + " sent, " +
                          human_bytes(real(receive, "bytes")) + " received") +
      line("on the wire", render_wire(real(send, "wire_bytes"), real(send, "bytes")) + " sent, " +
                              render_wire(real(receive, "wire_bytes"), real(receive, "bytes")) +
                              " received") +
      line("keys", "epoch " + std::to_string(number(send, "epoch")) + " out, " +
                       std::to_string(number(receive, "epoch")) + " in; " +
                       std::to_string(number(send, "depth_prepared")) + " prepared") +
      line("exposed", "at most " + human_bytes(real(link, "exposed_bytes")) +
                          " if this process were seized now") +
      line("sending", render_limits(link.at("limiter").at("recent")));
  if (const Json& streams = link.at("busiest_streams"); !streams.empty()) {
    const Json& stream = streams.front();
    out += line("busiest", "stream " + std::to_string(number(stream, "id")) + ", " +
                               human_bytes(real(stream, "sent_bytes")) + " out, " +
                               human_bytes(real(stream, "received_bytes")) +
                               " in: " + render_limits(stream.at("waits_for").at("total")));
  }
  if (link.contains("peer")) {
    const Json& peer = link.at("peer");
    out += line("other end", render_limits(peer.at("limiter").at("recent")) + ", " +
                                 text(peer, "congestion_control"));
  }
  if (link.contains("clock_offset_seconds")) {
    const auto clock = human_clock_offset(link.at("clock_offset_seconds").get<std::int64_t>());
    if (!clock.empty()) out += line("clock", clock);
  }
  return out;
}

std::string render_server(const Json& status) {
  std::string out = std::string("server ") +
                    (status.at("ready").get<bool>() ? "running" : "not accepting") + " on " +
                    (status.contains("listen") ? joined(status.at("listen")) : "nothing") + "\n";
  out += line("node", text(status, "node"));
  out += line("clients", std::to_string(number(status, "clients")) + " known, " +
                             std::to_string(status.at("links").size()) + " connected");
  for (const auto& link : status.at("links")) {
    out += text(link, "client") + " from " + text(link, "address") + "\n" + render_link(link);
  }
  return out;
}

std::string render_client(const Json& status) {
  const Json& links = status.at("links");
  const std::string to = status.contains("address") ? " to " + text(status, "address") : "";
  std::string out = links.empty() ? "tunnel " + text(status, "phase") + to + "\n"
                                  : "tunnel up to " + text(links.at(0), "server") + " over HTTPS\n";
  if (status.contains("error")) out += line("last error", text(status, "error"));
  if (status.contains("advice")) out += line("to do", text(status, "advice"));
  if (status.contains("next_attempt_seconds")) {
    out +=
        line("next try", "in " + human_time(std::max(0.0, real(status, "next_attempt_seconds"))));
  }
  if (!status.at("enrolled").get<bool>()) {
    out += line("invite", "not used yet; it is spent with the first connection");
  }
  out += line("proxy", status.contains("proxy")
                           ? joined(status.at("proxy")) + " (SOCKS5 and HTTP), " +
                                 counted(number(status, "proxy_connections"), "connection")
                           : "none: nothing uses the tunnel; set `listen` in [proxy]");
  for (const auto& link : links) out += render_link(link);
  return out;
}

}  // namespace

std::string render_status(const std::string& json) {
  try {
    const Json status = Json::parse(json);
    return status.at("role") == "server" ? render_server(status) : render_client(status);
  } catch (const Json::exception&) {
    return "the daemon's answer cannot be read; is it another version of karst?\n";
  }
}

}  // namespace karst::app
