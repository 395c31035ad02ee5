#include "stream/proxy/happy_eyeballs.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace karst::stream::proxy {
namespace {

// The place of a reason in the order that Failed states; the higher says more.
std::size_t weight(OpenResult reason) {
  using enum OpenResult;
  constexpr std::array kRising{name_not_found, network_unreachable, internal,  limit,
                               forbidden,      host_unreachable,    timed_out, refused};
  const auto* at = std::ranges::find(kRising, reason);
  CHECK(at != kRising.end());
  return static_cast<std::size_t>(at - kRising.begin());
}

}  // namespace

HappyEyeballs::HappyEyeballs(const HappyEyeballsConfig& config, std::uint16_t port, TimePoint now)
    : config_(config), port_(port), deadline_(now + config.timeout) {}

void HappyEyeballs::handle_answer(IpFamily family, std::span<const IpAddress> addresses,
                                  OpenResult if_none, const EgressPolicy& policy, TimePoint now) {
  Family& side = family == IpFamily::v4 ? v4_ : v6_;
  if (finished_ || side.answered) return;
  side.answered = true;
  if (addresses.empty()) note(if_none);
  std::size_t taken = 0;
  for (const IpAddress& address : addresses) {
    if (taken == kAddressesPerFamilyMax) break;
    if (address.is_v4() != (family == IpFamily::v4)) continue;
    if (std::ranges::find(side.untried, address) != side.untried.end()) continue;
    ++taken;
    if (policy.decide({address, port_}) == EgressVerdict::allowed) {
      side.untried.push_back(address);
    } else {
      note(OpenResult::forbidden);
    }
  }
  // RFC 8305 section 3: an A answer that comes first waits a moment for the AAAA answer.
  if (attempts_.empty()) next_start_ = now + config_.resolution_delay;
  advance(now);
}

void HappyEyeballs::handle_literal(const IpAddress& address, const EgressPolicy& policy,
                                   TimePoint now) {
  const IpFamily family = address.is_v4() ? IpFamily::v4 : IpFamily::v6;
  const IpFamily other = address.is_v4() ? IpFamily::v6 : IpFamily::v4;
  handle_answer(other, {}, OpenResult::name_not_found, policy, now);
  handle_answer(family, {&address, 1}, OpenResult::name_not_found, policy, now);
}

void HappyEyeballs::handle_attempt(AttemptId id, OpenResult outcome, TimePoint now) {
  CHECK(id < attempts_.size());
  Attempt& attempt = attempts_[id];
  if (finished_ || !attempt.pending) return;
  attempt.pending = false;
  if (outcome == OpenResult::ok) {
    finish(Connected{id, attempt.to});
    return;
  }
  note(outcome);
  // The delay gives the latest attempt time; when that has failed nothing is left to wait for.
  if (id + 1 == attempts_.size()) next_start_ = now;
  advance(now);
}

void HappyEyeballs::handle_deadline(TimePoint now) {
  if (finished_) return;
  if (now >= deadline_) {
    note(OpenResult::timed_out);
    finish(Failed{reason_});
    return;
  }
  advance(now);
}

// Starts the next attempt if its time has come, and ends the race when nothing can come any more.
void HappyEyeballs::advance(TimePoint now) {
  if (config_.again > Duration::zero()) try_again(now);
  const bool any_pending =
      std::ranges::any_of(attempts_, [](const Attempt& attempt) { return attempt.pending; });
  if (!v4_.untried.empty() || !v6_.untried.empty()) {
    const bool waits = attempts_.empty() ? !v6_.answered : any_pending;
    if (!waits || now >= next_start_) start_next(now);
  } else if (!any_pending && v4_.answered && v6_.answered) {
    finish(Failed{reason_});
  }
}

void HappyEyeballs::try_again(TimePoint now) {
  for (std::size_t id = 0; id < attempts_.size(); ++id) {
    const auto due = due_again(id);
    if (!due || now < *due) continue;
    Attempt& attempt = attempts_[id];
    if (!attempt.joined) {
      const IpAddress& address = attempt.to.address;
      (address.is_v4() ? v4_ : v6_).untried.push_back(address);
      attempt.joined = true;
    } else {
      attempt.pending = false;
      actions_.push_back(Cancel{static_cast<AttemptId>(id)});
    }
  }
}

std::optional<TimePoint> HappyEyeballs::due_again(std::size_t id) const {
  const Attempt& attempt = attempts_[id];
  if (!attempt.pending) return std::nullopt;
  if (!attempt.joined) return attempt.started + config_.again;
  const auto is_older = [&](const Attempt& other) {
    return other.pending && other.to.address == attempt.to.address;
  };
  const auto before = std::span(attempts_).first(id);
  if (std::ranges::none_of(before, is_older)) return std::nullopt;
  return attempt.started + 2 * config_.again;
}

void HappyEyeballs::start_next(TimePoint now) {
  // RFC 8305 section 4: the families in turn, IPv6 first.
  const bool want_v6 = attempts_.empty() || attempts_.back().to.address.is_v4();
  auto& from =
      v6_.untried.empty() || (!want_v6 && !v4_.untried.empty()) ? v4_.untried : v6_.untried;
  const auto id = static_cast<AttemptId>(attempts_.size());
  attempts_.push_back({.to = {from.front(), port_}, .started = now});
  from.pop_front();
  next_start_ = now + config_.attempt_delay;
  actions_.push_back(Start{id, attempts_.back().to});
}

void HappyEyeballs::note(OpenResult reason) {
  if (weight(reason) > weight(reason_)) reason_ = reason;
}

void HappyEyeballs::finish(Action last) {
  for (std::size_t id = 0; id < attempts_.size(); ++id) {
    if (attempts_[id].pending) actions_.push_back(Cancel{static_cast<AttemptId>(id)});
  }
  actions_.push_back(last);
  finished_ = true;
}

std::optional<HappyEyeballs::Action> HappyEyeballs::poll_action() {
  if (actions_.empty()) return std::nullopt;
  const Action action = actions_.front();
  actions_.pop_front();
  return action;
}

std::optional<TimePoint> HappyEyeballs::next_deadline() const {
  if (finished_) return std::nullopt;
  const bool untried = !v4_.untried.empty() || !v6_.untried.empty();
  TimePoint next = untried ? std::min(next_start_, deadline_) : deadline_;
  if (config_.again == Duration::zero()) return next;
  for (std::size_t id = 0; id < attempts_.size(); ++id) {
    if (const auto due = due_again(id)) next = std::min(next, *due);
  }
  return next;
}

}  // namespace karst::stream::proxy
