#include "app/terminal_view.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/status.h"

namespace karst::app {
namespace {

using Json = nlohmann::json;

std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

void write_out(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::string top_limiter(const Json& link) {
  std::string best;
  double most = 0.005;
  for (const auto& [name, share] : link["limiter"]["recent"].items()) {
    if (share.get<double>() > most) {
      most = share.get<double>();
      best = name + " " + std::to_string(std::lround(most * 100)) + " %";
    }
  }
  return best.empty() ? "idle" : best;
}

}  // namespace

bool TerminalView::usable() { return ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

std::string TerminalView::compose(const std::string& status_json, double now_seconds) {
  const Json status = Json::parse(status_json, nullptr, false);
  if (!status.is_object()) return "";
  double sent = 0;
  double received = 0;
  for (const auto& link : status["links"]) {
    sent += link["send"]["bytes"].get<double>();
    received += link["receive"]["bytes"].get<double>();
  }
  const double passed = std::max(0.001, now_seconds - last_time_);
  const double up = std::max(0.0, sent - last_sent_) * 8 / passed;
  const double down = std::max(0.0, received - last_received_) * 8 / passed;
  last_time_ = now_seconds;
  last_sent_ = sent;
  last_received_ = received;

  std::string out;
  if (status["role"] == "server") {
    out += "karst server  " + std::to_string(status["links"].size()) + " clients connected, " +
           std::to_string(status["connections"].get<int>()) + " connections\n";
    out += "  to clients " + human_rate(up) + ", from clients " + human_rate(down) + "\n";
    return out;
  }
  if (status["links"].empty()) {
    out += "karst  " + status["phase"].get<std::string>();
    if (status.contains("next_attempt_seconds")) {
      out += ", next try in " +
             human_time(std::max(0.0, status["next_attempt_seconds"].get<double>()));
    }
    out += "\n";
    if (status.contains("error")) out += "  " + status["error"].get<std::string>() + "\n";
    return out;
  }
  const Json& link = status["links"][0];
  out += "karst  up to " + link["server"].get<std::string>() + " for " +
         human_time(link["up_seconds"].get<double>()) + "\n";
  out += "  up " + human_rate(up) + ", down " + human_rate(down) + ", " +
         std::to_string(link["streams"].get<int>()) + " streams, limited by " + top_limiter(link) +
         "\n";
  out += "  epoch " + std::to_string(link["send"]["epoch"].get<std::uint64_t>()) + " out, " +
         std::to_string(link["receive"]["epoch"].get<std::uint64_t>()) + " in\n";
  return out;
}

void TerminalView::erase() {
  if (lines_ == 0) return;
  write_out("\x1b[" + std::to_string(lines_) + "A\x1b[J");
  lines_ = 0;
}

void TerminalView::show() {
  // A line that wraps would be counted as one: cut it.
  const std::size_t width = terminal_width();
  std::string out;
  std::string_view rest = block_;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    out += std::string(rest.substr(0, std::min(end, width - 1))) + "\n";
    ++lines_;
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  write_out(out);
}

void TerminalView::draw(const std::string& status_json, double now_seconds) {
  block_ = compose(status_json, now_seconds);
  erase();
  show();
}

void TerminalView::print_line(std::string_view line) {
  erase();
  write_out(line);
  show();
}

void TerminalView::finish() { lines_ = 0; }

}  // namespace karst::app
