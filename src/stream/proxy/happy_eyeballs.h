#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "base/ip.h"
#include "base/time.h"
#include "stream/proxy/egress_policy.h"
#include "stream/proxy/limits.h"
#include "stream/proxy/open_result.h"

namespace karst::stream::proxy {

enum class IpFamily : std::uint8_t { v4, v6 };

struct HappyEyeballsConfig {
  Duration resolution_delay = kResolutionDelay;
  Duration attempt_delay = kConnectionAttemptDelay;
  Duration timeout = kConnectTimeout;
  // An attempt that has waited so long is joined by another one to the same address, and is given
  // up after twice as long, but never the oldest to an address: an answer may take longer than
  // that. Zero: never. For whoever wants a path that was dead to be used soon after it is back,
  // since kernels pause longer and longer before they repeat an attempt.
  Duration again{};
};

// Which of a name's addresses to try when (RFC 8305): IPv6 first, families in turn, the next
// attempt 250 ms after the last or as soon as that one has failed, the first to connect wins.
// Addresses that the policy refuses are never tried. Opens no sockets and asks no resolver.
//
//   HappyEyeballs race(config, port, now);   ask for AAAA and A
//   on each family's answer:   race.handle_answer(...)      exactly once per family
//   on an attempt's outcome:   race.handle_attempt(...)
//   at next_deadline():        race.handle_deadline(now)
//   after each of these:       poll_action() until nothing
//
// Exactly one of Connected and Failed comes, as the last action; then it is silent and everything
// handed in is ignored. To give up, close the attempts and destroy it.
class HappyEyeballs {
 public:
  // Counts from 0 within one race.
  using AttemptId = std::uint32_t;

  struct Start {
    AttemptId id;
    Endpoint to;
  };
  // Close this attempt's socket. No outcome needs to be reported.
  struct Cancel {
    AttemptId id;
  };
  struct Connected {
    AttemptId id;
    Endpoint to;
  };
  // Of all reasons the one that says most: refused, timed out, host unreachable, forbidden, limit,
  // internal, network unreachable, name not found, in this order.
  struct Failed {
    OpenResult reason;
  };
  using Action = std::variant<Start, Cancel, Connected, Failed>;

  HappyEyeballs(const HappyEyeballsConfig& config, std::uint16_t port, TimePoint now);

  // The answer for one family, in the resolver's order of preference. `if_none` is the reason
  // when there are no addresses: name_not_found, timed_out or internal. Addresses of the other
  // family and those beyond kAddressesPerFamilyMax are ignored.
  void handle_answer(IpFamily family, std::span<const IpAddress> addresses, OpenResult if_none,
                     const EgressPolicy& policy, TimePoint now);
  // Instead of both answers: the target was an address.
  void handle_literal(const IpAddress& address, const EgressPolicy& policy, TimePoint now);
  // ok, or why the attempt failed.
  void handle_attempt(AttemptId id, OpenResult outcome, TimePoint now);
  void handle_deadline(TimePoint now);

  std::optional<Action> poll_action();
  std::optional<TimePoint> next_deadline() const;

 private:
  struct Family {
    bool answered = false;
    std::deque<IpAddress> untried;
  };
  struct Attempt {
    Endpoint to;
    TimePoint started;
    bool pending = true;
    bool joined = false;  // by another one to the same address
  };

  void advance(TimePoint now);
  void start_next(TimePoint now);
  void try_again(TimePoint now);
  // When this attempt is to be joined by another one, or given up.
  std::optional<TimePoint> due_again(std::size_t id) const;
  void note(OpenResult reason);
  void finish(Action last);

  HappyEyeballsConfig config_;
  std::uint16_t port_;
  TimePoint deadline_;
  Family v4_, v6_;
  std::vector<Attempt> attempts_;
  // Not before this while something may still come of waiting: the end of the resolution delay,
  // then of the attempt delay.
  TimePoint next_start_;
  OpenResult reason_ = OpenResult::name_not_found;  // the one that says least
  bool finished_ = false;
  std::deque<Action> actions_;
};

}  // namespace karst::stream::proxy
