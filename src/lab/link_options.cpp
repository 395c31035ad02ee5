#include "lab/link_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace karst::lab {
namespace {

constexpr double kRttMax = 10'000;      // ms
constexpr double kRateMax = 100'000;    // Mbit/s
constexpr double kSecondsMax = 86'400;  // of events
constexpr std::uint64_t kQueueLeast = 64 * 1024;

using Problem = std::unexpected<std::string>;

// A plain decimal number between two bounds.
std::optional<double> number(std::string_view text, double least, double most) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  if (!(value >= least && value <= most)) return std::nullopt;
  return value;
}

struct Pair {
  std::string_view first;
  std::string_view second;
};

// "A:B", or "A" for "A:A".
Pair both(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return {text, text};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<Pair> split(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return std::nullopt;
  return Pair{text.substr(0, place), text.substr(place + 1)};
}

Duration duration(double seconds) {
  return Duration(static_cast<std::int64_t>(std::llround(seconds * 1e9)));
}

Chance chance(double percent) { return {static_cast<std::uint32_t>(std::llround(percent * 1e7))}; }

// What one direction's part of an option sets. False: it is not as it must be.
using Setter = bool (*)(std::string_view, DirectionSettings&);

bool set_rate(std::string_view text, DirectionSettings& out) {
  const auto value = number(text, 0, kRateMax);
  if (value) out.rate = static_cast<std::uint64_t>(std::llround(*value * 1e6));
  return value.has_value();
}

bool set_loss(std::string_view text, DirectionSettings& out) {
  const auto value = number(text, 0, 100);
  if (value) out.loss = chance(*value);
  return value.has_value();
}

bool set_duplicate(std::string_view text, DirectionSettings& out) {
  const auto value = number(text, 0, 100);
  if (value) out.duplicate = chance(*value);
  return value.has_value();
}

bool set_jitter(std::string_view text, DirectionSettings& out) {
  const auto value = number(text, 0, kRttMax);
  if (value) out.jitter = duration(*value / 1e3);
  return value.has_value();
}

bool set_reorder(std::string_view text, DirectionSettings& out) {
  const auto parts = split(text, ',');
  if (!parts) return false;
  const auto share = number(parts->first, 0, 100);
  const auto by = number(parts->second, 0, kRttMax);
  if (!share || !by) return false;
  out.reorder = chance(*share);
  out.reorder_by = duration(*by / 1e3);
  return true;
}

// A chain that loses all while bad and nothing while good.
bool set_bursts(std::string_view text, DirectionSettings& out) {
  const auto parts = split(text, ',');
  if (!parts) return false;
  const auto average = number(parts->first, 0, 50);
  const auto length = number(parts->second, 1, 10'000);
  if (!average || !length) return false;
  const double leave = 1 / *length;
  const double share = *average / 100;
  out.bursts = BurstLoss{.enter = chance(share / (1 - share) * leave * 100),
                         .leave = chance(leave * 100),
                         .good = {},
                         .bad = {kCertain}};
  return true;
}

bool set_mtu(std::string_view text, DirectionSettings& out) {
  const auto value = number(text, 576, 65'535);
  if (value) out.mtu = static_cast<std::uint32_t>(*value);
  return value.has_value();
}

// After the rate and the delays are known.
bool set_queue(std::string_view text, DirectionSettings& out) {
  struct Unit {
    std::string_view name;
    double bytes;
  };
  const double of_a_millisecond = static_cast<double>(out.rate) / 8 / 1e3;
  const Unit units[] = {{"ms", of_a_millisecond}, {"KB", 1e3}, {"MB", 1e6}};
  for (const Unit& unit : units) {
    if (!text.ends_with(unit.name)) continue;
    text.remove_suffix(unit.name.size());
    const auto value = number(text, 0, 1e6);
    if (value) out.queue_bytes = static_cast<std::uint64_t>(std::llround(*value * unit.bytes));
    return value.has_value();
  }
  return false;
}

struct Option {
  const char* name;
  const std::string LinkOptions::* text;
  Setter set;
  const char* form;
};
constexpr Option kOptions[] = {
    {"--rate", &LinkOptions::rate, set_rate, "Mbit/s, 0 to 100000, 0 for no limit"},
    {"--loss", &LinkOptions::loss, set_loss, "a percentage"},
    {"--duplicate", &LinkOptions::duplicate, set_duplicate, "a percentage"},
    {"--jitter", &LinkOptions::jitter, set_jitter, "milliseconds"},
    {"--reorder", &LinkOptions::reorder, set_reorder, "PERCENT,MILLISECONDS"},
    {"--bursts", &LinkOptions::bursts, set_bursts, "PERCENT,SEGMENTS: at most 50 %, 1 to 10000"},
    {"--mtu", &LinkOptions::mtu, set_mtu, "bytes, 576 to 65535"},
    {"--queue", &LinkOptions::queue, set_queue, "such as 200ms, 500KB or 2MB"},
};

std::expected<std::vector<LinkEvent>, std::string> parse_events(const LinkOptions& options) {
  std::vector<LinkEvent> events;
  for (const std::string& text : options.outages) {
    const auto parts = split(text, ':');
    const auto at = parts ? number(parts->first, 0, kSecondsMax) : std::nullopt;
    const auto length = parts ? number(parts->second, 0, kSecondsMax) : std::nullopt;
    if (!at || !length) {
      return Problem("--outage \"" + text + "\" is not AT:LENGTH in seconds, such as 10:3");
    }
    events.push_back({duration(*at), LinkEvent::Kind::down});
    events.push_back({duration(*at + *length), LinkEvent::Kind::up});
  }
  for (const std::string& text : options.rebinds) {
    const auto at = number(text, 0, kSecondsMax);
    if (!at) return Problem("--rebind \"" + text + "\" is not a number of seconds");
    events.push_back({duration(*at), LinkEvent::Kind::rebind});
  }
  std::ranges::stable_sort(events, {}, &LinkEvent::at);
  return events;
}

}  // namespace

std::expected<LinkSettings, std::string> parse_link(const LinkOptions& options) {
  LinkSettings settings;
  settings.seed = options.seed;
  const auto rtt = number(options.rtt, 0, kRttMax);
  if (!rtt) return Problem("--rtt \"" + options.rtt + "\" is not milliseconds, 0 to 10000");
  settings.forward.delay = duration(*rtt / 2e3);
  settings.back.delay = settings.forward.delay;
  for (const Option& option : kOptions) {
    const std::string& text = options.*option.text;
    if (text.empty()) continue;
    const Pair parts = both(text);
    if (!option.set(parts.first, settings.forward) || !option.set(parts.second, settings.back)) {
      return Problem(std::string(option.name) + " \"" + text + "\" is not " + option.form);
    }
  }
  for (DirectionSettings* each : {&settings.forward, &settings.back}) {
    if (options.queue.empty()) {
      const double bits = static_cast<double>(each->rate) * *rtt / 1e3;
      each->queue_bytes = std::max(kQueueLeast, static_cast<std::uint64_t>(bits / 8));
    }
    each->discipline = options.codel ? QueueDiscipline::codel : QueueDiscipline::tail_drop;
    each->too_big = options.black_hole ? TooBig::black_hole : TooBig::icmp;
    each->block_udp = options.block_udp;
  }
  auto events = parse_events(options);
  if (!events) return Problem(events.error());
  settings.events = std::move(*events);
  return settings;
}

std::string describe_link(const LinkOptions& options) {
  std::string out = options.rtt + " ms, ";
  out += options.rate == "0" ? "no rate limit" : options.rate + " Mbit/s";
  const auto add = [&out](const char* what, const std::string& value, const char* unit) {
    if (!value.empty() && value != "0") out += std::string(", ") + what + " " + value + unit;
  };
  add("loss", options.loss, " %");
  add("bursts", options.bursts, "");
  add("jitter", options.jitter, " ms");
  add("reorder", options.reorder, "");
  add("duplicate", options.duplicate, " %");
  add("queue", options.queue, "");
  add("mtu", options.mtu, options.black_hole ? " (black hole)" : "");
  if (options.codel) out += ", CoDel";
  if (options.block_udp) out += ", UDP blocked";
  for (const std::string& outage : options.outages) add("outage", outage, " s");
  for (const std::string& rebind : options.rebinds) add("rebind at", rebind, " s");
  return out;
}

}  // namespace karst::lab
