#include "lab/interruption.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "lab/cell.h"
#include "lab/format.h"
#include "lab/path_check.h"
#include "lab/results_file.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kTenth = 100ms;
// Transfers run for so long before it happens.
constexpr Duration kBefore = 3s;
// They are watched for so long after: a retransmission may come after twice the outage.
constexpr Duration kAfterMin = 5s;
constexpr Duration kAfterMax = 12s;
constexpr Duration kStatusBeforeEnd = 500ms;

struct ClientState {
  std::uint64_t attempts = 0;
  std::optional<TimePoint> link_up_since;
};

ClientState client_state(const TunnelPair& pair) {
  const Json status = Json::parse(pair.client_status(), nullptr, false);
  const TimePoint now = platform::monotonic_now();
  ClientState out;
  if (status.is_discarded()) return out;
  out.attempts = status.value("attempts", std::uint64_t{0});
  for (const Json& link : status.value("links", Json::array())) {
    const double age = link.value("up_seconds", 0.0);
    out.link_up_since = now - Duration(static_cast<std::int64_t>(age * 1e9));
  }
  return out;
}

// The reason in the log's first line about a link that went down.
std::string link_down_reason(const std::string& log) {
  const std::size_t line = log.find(" link-down: ");
  if (line == std::string::npos) return "nothing that its log names";
  const std::string text = log.substr(line, log.find('\n', line) - line);
  const std::size_t error = text.find("error=");
  return error == std::string::npos ? text
                                    : text.substr(error + 6, text.find(' ', error) - error - 6);
}

class Interruptions {
 public:
  Interruptions(const InterruptionPlan& plan,
                const std::function<void(const InterruptionResult&)>& say)
      : plan_(plan), say_(say), file_(plan.folder) {}

  std::expected<std::vector<InterruptionResult>, RunError> run();

 private:
  std::optional<RunError> begin();
  std::expected<InterruptionResult, std::string> one(const Interruption& what);
  bool stopped() const { return plan_.stop != nullptr && plan_.stop->load(); }

  const InterruptionPlan& plan_;
  const std::function<void(const InterruptionResult&)>& say_;
  ResultsFile file_;
  LinkSettings link_;
  std::unique_ptr<LabNetwork> network_;
};

std::vector<LinkEvent> events_of(const Interruption& what) {
  if (what.kind == Interruption::Kind::rebound) return {{kBefore, LinkEvent::Kind::rebind}};
  return {{kBefore, LinkEvent::Kind::down}, {kBefore + what.length, LinkEvent::Kind::up}};
}

std::expected<InterruptionResult, std::string> Interruptions::one(const Interruption& what) {
  network_->link().replace(link_);
  auto pair = TunnelPair::start(*network_, plan_.tunnel, plan_.stop);
  if (!pair) return std::unexpected(pair.error());
  const ClientState before = client_state(**pair);
  LinkSettings settings = link_;
  settings.events = events_of(what);
  const Duration length = kBefore + what.length + std::min(kAfterMin + 2 * what.length, kAfterMax);
  const TimePoint start = platform::monotonic_now();
  network_->link().change(settings);
  ClientState after;
  std::thread look([&] {
    const TimePoint due = start + length - kStatusBeforeEnd;
    for (TimePoint now = start; now < due && !stopped(); now = platform::monotonic_now()) {
      platform::wait_until(std::min(due, now + kTenth));
    }
    after = client_state(**pair);
  });
  const auto load = run_load({.near = &network_->at(Side::near),
                              .far = &network_->at(Side::far),
                              .route = (*pair)->route(),
                              .traffic = Traffic::both,
                              .streams = 1,
                              .length = length,
                              .early_end = EarlyEnd::dial_again,
                              .stop = plan_.stop});
  look.join();
  InterruptionResult result{.what = what};
  const Duration back = kBefore + what.length;
  result.link_survived = after.attempts == before.attempts && after.link_up_since.has_value();
  if (!result.link_survived) {
    result.link_ended_by = link_down_reason((*pair)->client_log());
    if (after.link_up_since) result.link_again = *after.link_up_since - start - back;
  }
  if (!load.ok()) {
    result.problems.push_back(std::string(load.error().kind().text));
    return result;
  }
  for (const StreamResult& stream : load->streams) {
    if (stream.end == StreamResult::End::error) ++result.streams_ended;
    if (stream.end == StreamResult::End::orderly) ++result.streams_ended_orderly;
  }
  const auto again = [&](bool up) {
    const auto at = end_of_gap(load->streams, up, kBefore, length);
    return at ? std::optional(std::max(*at - back, Duration::zero())) : std::nullopt;
  };
  result.up_again = again(true);
  result.down_again = again(false);
  judge(result);
  return result;
}

std::optional<RunError> Interruptions::begin() {
  const auto settings = parse_link(plan_.link);
  if (!settings) return RunError{.text = settings.error(), .nothing_begun = true};
  link_ = *settings;
  if (auto begun = file_.begin(plan_.tunnel.program, false); !begun) {
    return RunError{.text = begun.error(), .nothing_begun = true};
  }
  auto network = LabNetwork::create(link_);
  if (!network.ok()) return RunError{std::string(network.error().kind().text)};
  network_ = std::move(*network);
  if (!file_.add_network(*network_).ok()) return RunError{"cannot write the results"};
  return check_path(*network_, plan_.link, link_, file_);
}

std::expected<std::vector<InterruptionResult>, RunError> Interruptions::run() {
  if (auto problem = begin()) return std::unexpected(*problem);
  std::vector<InterruptionResult> results;
  for (const Interruption& what : plan_.interruptions) {
    auto result = one(what);
    if (stopped()) return failed("interrupted");
    if (!result) return failed(what.name() + ": " + result.error());
    if (!file_.add_interruption(*result).ok()) return failed("cannot write the results");
    say_(*result);
    results.push_back(std::move(*result));
  }
  if (auto problem = file_.end(plan_.tunnel.program)) return failed(*problem);
  return results;
}

}  // namespace

std::string Interruption::name() const {
  if (kind == Kind::rebound) return "NAT rebound";
  return format("outage of %g s", std::chrono::duration<double>(length).count());
}

std::optional<Duration> end_of_gap(const std::vector<StreamResult>& streams, bool up, Duration from,
                                   Duration to) {
  const auto first = static_cast<std::size_t>(from / kTenth);
  std::vector<bool> came(static_cast<std::size_t>(to / kTenth));
  for (const StreamResult& stream : streams) {
    if (stream.up != up) continue;
    const std::size_t count = std::min(came.size(), stream.bytes_per_tenth.size());
    for (std::size_t i = 0; i < count; ++i) {
      if (stream.bytes_per_tenth[i] > 0) came[i] = true;
    }
  }
  // What was still on its way through the ends may cut a short gap off the front of the real one.
  std::size_t longest = 0;
  std::size_t end = first;
  std::size_t silent = 0;
  for (std::size_t i = first; i <= came.size(); ++i) {
    if (i < came.size() && !came[i]) {
      ++silent;
      continue;
    }
    if (silent > longest) {
      longest = silent;
      end = i;
    }
    silent = 0;
  }
  if (longest > 0 && end == came.size()) return std::nullopt;
  return static_cast<std::int64_t>(end) * kTenth;
}

Duration resume_max(Duration outage) { return outage + 2s; }

void judge(InterruptionResult& result) {
  const auto fails = [&result](std::string why) { result.problems.push_back(std::move(why)); };
  const auto flows_within = [&](Duration most) {
    if (!result.up_again || !result.down_again) return fails("traffic never flowed again");
    if (std::max(*result.up_again, *result.down_again) <= most) return;
    fails(format("traffic flowed again after more than %g s",
                 std::chrono::duration<double>(most).count()));
  };
  if (result.streams_ended_orderly > 0) fails("a stream that was cut looked complete");
  if (result.link_survived) {
    flows_within(resume_max(result.what.length));
    if (result.streams_ended > 0) fails("a stream ended though its link survived");
    return;
  }
  flows_within(kReconnectMax + kFlowMax);
  if (result.what.kind == Interruption::Kind::outage && result.what.length <= kOutageSurvived) {
    fails("the link did not survive");
  }
  if (!result.link_again) {
    fails("no new link came up");
  } else if (*result.link_again > kReconnectMax) {
    fails(format("the new link took more than %g s",
                 std::chrono::duration<double>(kReconnectMax).count()));
  }
}

std::expected<std::vector<InterruptionResult>, RunError> run_interruptions(
    const InterruptionPlan& plan, const std::function<void(const InterruptionResult&)>& say) {
  return Interruptions(plan, say).run();
}

}  // namespace karst::lab
