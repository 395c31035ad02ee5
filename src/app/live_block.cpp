#include "app/live_block.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/human_text.h"

namespace karst::app {
namespace {

using Json = nlohmann::json;

struct Rates {
  double sent = 0;  // bits per second
  double received = 0;
};

std::string top_limiter(const Json& link) {
  std::string best;
  double most = 0.005;
  for (const auto& [name, share] : link.at("limiter").at("recent").items()) {
    if (share.get<double>() <= most) continue;
    most = share.get<double>();
    best = name + " " + std::to_string(std::lround(most * 100)) + " %";
  }
  return best.empty() ? "nothing to send" : "limited by " + best;
}

std::vector<std::string> server_lines(const Json& status, const Rates& rates) {
  return {
      "karst server  " + counted(status.at("links").size(), "client") + " connected, " +
          counted(status.at("connections").get<std::size_t>(), "TCP connection"),
      "  to clients " + human_rate(rates.sent) + ", from clients " + human_rate(rates.received)};
}

std::vector<std::string> client_lines(const Json& status, const Rates& rates) {
  std::vector<std::string> out;
  if (status.at("links").empty()) {
    std::string first = "karst  " + status.at("phase").get<std::string>();
    if (status.contains("next_attempt_seconds")) {
      first += ", next try in " +
               human_time(std::max(0.0, status.at("next_attempt_seconds").get<double>()));
    }
    out.push_back(first);
    if (status.contains("error")) out.push_back("  " + status.at("error").get<std::string>());
    return out;
  }
  const Json& link = status.at("links").at(0);
  out.push_back("karst  up to " + link.at("server").get<std::string>() + " for " +
                human_time(link.at("up_seconds").get<double>()));
  out.push_back("  up " + human_rate(rates.sent) + ", down " + human_rate(rates.received) + ", " +
                counted(link.at("streams").get<std::size_t>(), "stream") + ", " +
                top_limiter(link));
  out.push_back("  epoch " + std::to_string(link.at("send").at("epoch").get<std::uint64_t>()) +
                " out, " + std::to_string(link.at("receive").at("epoch").get<std::uint64_t>()) +
                " in");
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

std::string fit_lines(const std::vector<std::string>& lines, std::size_t columns) {
  std::string out;
  for (const std::string& line : lines) {
    // The last column stays free: some terminals wrap when it is written.
    out += line.substr(0, columns > 0 ? columns - 1 : 0) + "\n";
  }
  return out;
}

}  // namespace karst::app
