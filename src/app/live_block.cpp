#include "app/live_block.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/human_text.h"

namespace karst::app {
namespace {

using Json = nlohmann::json;
using Lines = std::vector<std::string>;

// Where the text after a label begins.
constexpr std::size_t kTextColumn = 11;

// More are left to `karst status`: the block must not fill the screen.
constexpr std::size_t kClientsShown = 4;

struct Rates {
  double sent = 0;  // bits per second
  double received = 0;
};

std::string text(const Json& object, const char* key) { return object.at(key).get<std::string>(); }

std::string joined(const Json& list) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + item.get<std::string>();
  return out;
}

void add(Lines& out, const std::string& label, const std::string& what) {
  std::string line = "  " + label;
  line.resize(std::max(line.size() + 1, kTextColumn), ' ');
  out.push_back(line + what);
}

std::string top_limiter(const Json& link) {
  const std::string none = "none here: nothing waits to be sent";
  std::string best = none;
  double most = 0.005;
  for (const auto& [name, share] : link.at("limiter").at("recent").items()) {
    if (share.get<double>() <= most) continue;
    most = share.get<double>();
    best =
        name == "application" ? none : name + " " + std::to_string(std::lround(most * 100)) + " %";
  }
  return best;
}

std::string epochs(const Json& link) {
  return "epoch " + std::to_string(link.at("send").at("epoch").get<std::uint64_t>()) + " out, " +
         std::to_string(link.at("receive").at("epoch").get<std::uint64_t>()) + " in";
}

Lines server_lines(const Json& status, const Rates& rates) {
  const Json& links = status.at("links");
  Lines out;
  out.push_back(status.at("ready").get<bool>()
                    ? "karst server  up on " + joined(status.at("listen"))
                    : "karst server  ending once open connections have; Ctrl-C: at once");
  add(out, "clients",
      std::to_string(links.size()) + " connected of " +
          std::to_string(status.at("clients").get<std::size_t>()) + " known, " +
          counted(status.at("connections").get<std::size_t>(), "TCP connection"));
  add(out, "traffic",
      human_rate(rates.sent) + " to clients, " + human_rate(rates.received) + " from clients");
  for (std::size_t i = 0; i < std::min(links.size(), kClientsShown); ++i) {
    add(out, text(links[i], "client"), epochs(links[i]) + ", limiter: " + top_limiter(links[i]));
  }
  if (links.size() > kClientsShown) {
    add(out, "and", std::to_string(links.size() - kClientsShown) + " more: karst status");
  }
  return out;
}

std::string headline(const Json& status) {
  const std::string phase = text(status, "phase");
  const std::string to = status.contains("address") ? " to " + text(status, "address") : "";
  const auto attempts = status.at("attempts").get<std::uint64_t>();
  const std::string attempt = attempts > 1 ? ", attempt " + std::to_string(attempts) : "";
  if (phase == "connecting") return "karst  connecting" + to + attempt;
  if (phase == "securing") return "karst  connected" + to + "; agreeing on keys" + attempt;
  if (phase == "closing") return "karst  ending once open connections have; Ctrl-C: at once";
  if (!status.contains("next_attempt_seconds")) return "karst  not connected";
  return "karst  not connected, next try in " +
         human_time(std::max(0.0, status.at("next_attempt_seconds").get<double>()));
}

Lines client_lines(const Json& status, const Rates& rates) {
  const Json& links = status.at("links");
  Lines out;
  if (links.empty()) {
    out.push_back(headline(status));
    if (status.contains("error")) add(out, "error", text(status, "error"));
    if (status.contains("advice")) add(out, "to do", text(status, "advice"));
  } else {
    const Json& link = links.at(0);
    char rtt[32];
    std::snprintf(rtt, sizeof(rtt), "%.0f ms", link.at("tcp").at("rtt_ms").get<double>());
    out.push_back("karst  up to " + text(link, "server") + " for " +
                  human_time(link.at("up_seconds").get<double>()));
    add(out, "traffic",
        human_rate(rates.sent) + " out, " + human_rate(rates.received) + " in, RTT " + rtt);
    add(out, "limiter", top_limiter(link));
    add(out, "keys",
        epochs(link) + "; " + std::to_string(link.at("send").at("depth_prepared").get<int>()) +
            " prepared");
    if (link.contains("clock_offset_seconds")) {
      const std::string clock = human_clock_offset(link.at("clock_offset_seconds"));
      if (!clock.empty()) add(out, "clock", clock);
    }
  }
  if (text(status, "phase") == "closing") {
    add(out, "open",
        counted(status.at("proxy_connections").get<std::size_t>(), "proxy connection"));
    return out;
  }
  add(out, "proxy",
      status.contains("proxy")
          ? joined(status.at("proxy")) + ", " +
                counted(status.at("proxy_connections").get<std::size_t>(), "connection")
          : "none: nothing uses the tunnel; set `listen` in [proxy]");
  return out;
}

}  // namespace

std::vector<std::string> LiveBlock::compose(const std::string& status_json, double now_seconds) {
  try {
    const Json status = Json::parse(status_json);
    Sample now{now_seconds, 0, 0};
    for (const auto& link : status.at("links")) {
      now.sent += link.at("send").at("bytes").get<double>();
      now.received += link.at("receive").at("bytes").get<double>();
    }
    // A link that went away takes its bytes along: no rate then, rather than a wrong one.
    Rates rates;
    if (last_ && now.time > last_->time) {
      const double passed = now.time - last_->time;
      rates.sent = std::max(0.0, now.sent - last_->sent) * 8 / passed;
      rates.received = std::max(0.0, now.received - last_->received) * 8 / passed;
    }
    last_ = now;
    return status.at("role") == "server" ? server_lines(status, rates)
                                         : client_lines(status, rates);
  } catch (const Json::exception&) {
    return {};
  }
}

std::string fit_lines(const std::vector<std::string>& lines, std::size_t rows,
                      std::size_t columns) {
  // The last row is where the cursor stands, and the last column stays free: some terminals wrap
  // when it is written.
  const std::size_t width = columns > 0 ? columns - 1 : 0;
  std::string out;
  std::size_t left = rows > 0 ? rows - 1 : 0;
  for (const std::string& line : lines) {
    for (const std::string& row : wrapped(line, kTextColumn, width)) {
      if (left-- == 0) return out;
      out += row + "\n";
    }
  }
  return out;
}

std::size_t rows_of(std::string_view block, std::size_t columns) {
  std::size_t rows = 0;
  for (std::size_t begin = 0; begin < block.size();) {
    const std::size_t end = std::min(block.find('\n', begin), block.size());
    rows += std::max<std::size_t>(1, columns > 0 ? (end - begin + columns - 1) / columns : 1);
    begin = end + 1;
  }
  return rows;
}

}  // namespace karst::app
