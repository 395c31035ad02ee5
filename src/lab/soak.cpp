#include "lab/soak.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "lab/cell.h"
#include "lab/churn.h"
#include "lab/path_check.h"
#include "lab/process_state.h"
#include "lab/results_file.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr Duration kSamplePause = 5s;
// A soak of a few seconds, for a test of the machinery, is sampled more often.
constexpr int kSamplesLeastInAll = 24;
// Descriptors and memory have peaks between samples.
constexpr Duration kLookPause = 250ms;
constexpr std::uint16_t kChurnPort = 5202;

// What one daemon's status tells. Without a link it holds no keys and no streams.
void read_status(const std::string& text, ProcessSample& sample) {
  const Json status = Json::parse(text, nullptr, false);
  sample.status_read = !status.is_discarded();
  if (!sample.status_read) return;
  const auto number = [](const Json& object, const char* key) {
    return object.value(key, std::uint64_t{0});
  };
  sample.attempts = number(status, "attempts");
  for (const Json& link : status.value("links", Json::array())) {
    const Json& send = link.at("send");
    const Json& receive = link.at("receive");
    sample.keys += number(send, "depth_prepared") + number(send, "depth_offered") +
                   number(receive, "prepared") + number(receive, "offers_waiting");
    sample.queued_bytes += number(send, "queued_bytes") + number(receive, "queued_bytes");
    sample.streams += number(link, "streams");
    sample.deadline_expiries += number(send, "deadline_expiries");
  }
}

// Peaks of a process since the last sample.
class Watch {
 public:
  explicit Watch(pid_t pid) : pid_(pid) {}

  void look() { descriptors_ = std::max(descriptors_, open_descriptors(pid_)); }
  ProcessSample take(const std::string& status) {
    look();
    ProcessSample sample;
    sample.resident_bytes = forgets_ ? resident_peak_bytes(pid_) : resident_bytes(pid_);
    sample.descriptors = std::exchange(descriptors_, 0);
    forgets_ = forget_resident_peak(pid_);
    read_status(status, sample);
    return sample;
  }

 private:
  pid_t pid_;
  std::uint64_t descriptors_ = 0;
  bool forgets_ = false;  // whether the kernel's peak began at the last sample
};

class Soak {
 public:
  Soak(const SoakPlan& plan, const std::function<void(const SoakSample&)>& on_sample)
      : plan_(plan), on_sample_(on_sample), file_(plan.folder) {}

  std::expected<SoakResult, RunError> run();

 private:
  std::optional<RunError> begin();
  void take_load(const LoadResult& load);
  bool stopped() const { return plan_.stop != nullptr && plan_.stop->load(); }
  void sample_while_it_runs();

  const SoakPlan& plan_;
  const std::function<void(const SoakSample&)>& on_sample_;
  ResultsFile file_;
  std::unique_ptr<LabNetwork> network_;
  std::unique_ptr<TunnelPair> pair_;
  SoakResult result_;
};

std::optional<RunError> Soak::begin() {
  if (auto begun = file_.begin(plan_.tunnel.program, false); !begun) {
    return RunError{.text = begun.error(), .nothing_begun = true};
  }
  const auto settings = parse_link(plan_.link);
  if (!settings) return RunError{settings.error()};
  auto network = LabNetwork::create(*settings);
  if (!network.ok()) return RunError{std::string(network.error().kind().text)};
  network_ = std::move(*network);
  if (!file_.add_network(*network_).ok()) return RunError{"cannot write the results"};
  if (auto problem = check_path(*network_, plan_.link, *settings, file_)) return problem;
  auto pair = TunnelPair::start(*network_, plan_.tunnel, plan_.stop);
  if (!pair) return RunError{pair.error()};
  pair_ = std::move(*pair);
  return std::nullopt;
}

// What the long transfers carried, by quarters of the time.
void Soak::take_load(const LoadResult& load) {
  for (const StreamResult& stream : load.streams) {
    result_.load.bytes += stream.bytes;
    auto& quarters = stream.up ? result_.load.up_by_quarter : result_.load.down_by_quarter;
    for (std::size_t tenth = 0; tenth < stream.bytes_per_tenth.size(); ++tenth) {
      const auto quarter = static_cast<std::size_t>(100ms * tenth * 4 / plan_.length);
      quarters[std::min<std::size_t>(quarter, 3)] += stream.bytes_per_tenth[tenth];
    }
  }
}

void Soak::sample_while_it_runs() {
  const TimePoint start = platform::monotonic_now();
  const Duration pause = std::min(kSamplePause, plan_.length / kSamplesLeastInAll);
  Watch client(pair_->client_pid());
  Watch server(pair_->server_pid());
  // The last one is taken while the load still runs.
  for (Duration due = pause; due < plan_.length && !stopped(); due += pause) {
    for (TimePoint now = start; now < start + due && !stopped();) {
      now = std::min(start + due, std::max(start, platform::monotonic_now()) + kLookPause);
      platform::wait_until(now);
      client.look();
      server.look();
    }
    const std::string of_client = pair_->client_status();
    const std::string of_server = pair_->server_status();
    const SoakSample sample{
        .at = due, .client = client.take(of_client), .server = server.take(of_server)};
    result_.samples.push_back(sample);
    if (!file_.add_sample(sample).ok()) return;
    on_sample_(sample);
  }
}

std::expected<SoakResult, RunError> Soak::run() {
  if (auto problem = begin()) return std::unexpected(*problem);
  std::optional<Result<LoadResult>> load;
  ChurnResult churn;
  std::thread bulk([&] {
    load = run_load({.near = &network_->at(Side::near),
                     .far = &network_->at(Side::far),
                     .route = pair_->route(),
                     .traffic = Traffic::both,
                     .streams = 1,
                     .length = plan_.length,
                     .stop = plan_.stop});
  });
  std::thread short_streams([&] {
    churn = run_churn({.near = &network_->at(Side::near),
                       .far = &network_->at(Side::far),
                       .target = {load_target().address, kChurnPort},
                       .socks = TunnelPair::socks(),
                       .length = plan_.length,
                       .seed = plan_.link.seed,
                       .stop = plan_.stop});
  });
  sample_while_it_runs();
  bulk.join();
  short_streams.join();
  if (stopped()) return failed("interrupted");
  result_.load.bytes = churn.bytes;
  result_.load.short_streams = churn.streams;
  result_.load.short_streams_by_quarter = churn.streams_by_quarter;
  if (load->ok()) {
    take_load(**load);
  } else {
    result_.load.failure = "a long stream: " + std::string(load->error().kind().text);
  }
  if (churn.failure) result_.load.failure = *churn.failure;
  result_.rules = judge_soak(result_.samples, plan_.length, result_.load);
  if (!file_.add_soak_verdict(result_.rules, result_.load, result_.passed()).ok()) {
    return failed("cannot write the results");
  }
  if (auto problem = file_.end(plan_.tunnel.program)) return failed(*problem);
  return std::move(result_);
}

}  // namespace

bool SoakResult::passed() const {
  return std::ranges::all_of(rules, [](const SoakRule& rule) { return rule.ok; });
}

std::expected<SoakResult, RunError> run_soak(
    const SoakPlan& plan, const std::function<void(const SoakSample&)>& on_sample) {
  return Soak(plan, on_sample).run();
}

}  // namespace karst::lab
