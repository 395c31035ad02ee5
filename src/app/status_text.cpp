#include "app/status_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/human_text.h"

namespace karst::app {
namespace {

using Json = nlohmann::ordered_json;

// Clocks that differ by less than this are as good as any.
constexpr std::int64_t kClockOffsetShown = 90;

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }
std::uint64_t number(const Json& object, const char* key) {
  return object.at(key).get<std::uint64_t>();
}
double real(const Json& object, const char* key) { return object.at(key).get<double>(); }

// "  label       what"
std::string line(const std::string& label, const std::string& what) {
  return "  " + label + std::string(label.size() < 12 ? 12 - label.size() : 1, ' ') + what + "\n";
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
    if (percent > 0) out += (out.empty() ? "" : ", ") + name + " " + std::to_string(percent) + " %";
  }
  return out.empty() ? "nothing to send" : out;
}

std::string render_clock(std::int64_t offset) {
  return "this machine is " + human_time(static_cast<double>(std::abs(offset))) +
         (offset > 0 ? " ahead of" : " behind") + " the server; one of the two clocks is wrong";
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
      line("keys", "epoch " + std::to_string(number(send, "epoch")) + " out, " +
                       std::to_string(number(receive, "epoch")) + " in; " +
                       std::to_string(number(send, "depth_prepared")) + " prepared; at most " +
                       human_bytes(real(link, "exposed_bytes")) + " exposed by a seizure now") +
      line("last 10 s", render_limits(link.at("limiter").at("recent")));
  if (link.contains("clock_offset_seconds")) {
    const auto offset = link.at("clock_offset_seconds").get<std::int64_t>();
    if (std::abs(offset) > kClockOffsetShown) out += line("clock", render_clock(offset));
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
  std::string out = links.empty() ? "tunnel " + text(status, "phase") + "\n"
                                  : "tunnel up to " + text(links.at(0), "server") + " over HTTPS\n";
  if (status.contains("error")) out += line("last error", text(status, "error"));
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
