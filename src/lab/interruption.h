#pragma once

#include <atomic>
#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/link_options.h"
#include "lab/load.h"
#include "lab/run_error.h"
#include "lab/tunnel_pair.h"

namespace karst::lab {

// What happens to the path in the middle of transfers both ways.
struct Interruption {
  enum class Kind : std::uint8_t {
    outage,   // nothing arrives for `length`
    rebound,  // the NAT in front of the client forgets its mappings
  };
  Kind kind = Kind::outage;
  Duration length{};

  std::string name() const;  // "outage of 3 s"
};

// What was seen of one. Times are from the moment when the path is back; with a rebound NAT, that
// is when it forgot.
struct InterruptionResult {
  Interruption what;
  bool link_survived = false;
  std::string link_ended_by{};           // what the client's log says, if it did not
  std::optional<Duration> link_again{};  // the new link was up; negative: before the path was back
  std::optional<Duration> up_again{};    // bytes arrive again
  std::optional<Duration> down_again{};
  unsigned streams_ended = 0;           // with an error
  unsigned streams_ended_orderly = 0;   // as if all had been sent, which was not so
  std::vector<std::string> problems{};  // why it does not pass; none: it does
};

// The longest outage that a link has to outlive.
inline constexpr Duration kOutageSurvived = std::chrono::seconds(3);
// From the moment when the path is back to a new link.
inline constexpr Duration kReconnectMax = std::chrono::seconds(2);
// From a new link to bytes both ways.
inline constexpr Duration kFlowMax = std::chrono::seconds(2);
// Of a link that survives, from the moment when the path is back to bytes both ways: TCP's
// retransmission timer has doubled until it is as long as the outage at most (RFC 6298, 5.5), and
// what was lost takes a few round trips.
Duration resume_max(Duration outage);

// Fills in `problems`.
void judge(InterruptionResult& result);

// When the longest silence of one direction within [from, to) ended, to a tenth of a second: `from`
// if there was none, nothing if it lasted to the end.
std::optional<Duration> end_of_gap(const std::vector<StreamResult>& streams, bool up, Duration from,
                                   Duration to);

struct InterruptionPlan {
  std::vector<Interruption> interruptions;
  LinkOptions link;
  TunnelSettings tunnel;
  std::string folder;                       // results.jsonl goes there
  const std::atomic<bool>* stop = nullptr;  // set by anyone, it ends the run soon, with an error
};

// One fresh tunnel for each. `say` gets a line for a person after each.
std::expected<std::vector<InterruptionResult>, RunError> run_interruptions(
    const InterruptionPlan& plan, const std::function<void(const InterruptionResult&)>& say);

}  // namespace karst::lab
