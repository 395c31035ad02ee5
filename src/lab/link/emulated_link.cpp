#include "lab/link/emulated_link.h"

#include <algorithm>
#include <utility>

namespace karst::lab {
namespace {

// The two directions decide independently.
constexpr std::uint64_t kBackSeed = 0x9e3779b97f4a7c15;

}  // namespace

EmulatedLink::EmulatedLink(const LinkSettings& settings, TimePoint now)
    : settings_(settings),
      start_(now),
      forward_(settings.forward, settings.seed),
      back_(settings.back, settings.seed ^ kBackSeed) {}

void EmulatedLink::restart(TimePoint now) { *this = EmulatedLink(settings_, now); }

void EmulatedLink::change(const LinkSettings& settings, TimePoint now) {
  settings_ = settings;
  start_ = now;
  next_event_ = 0;
  malformed_ = unmapped_ = 0;
  forward_.change(settings.forward, settings.seed);
  back_.change(settings.back, settings.seed ^ kBackSeed);
  forward_.set_down(false);
  back_.set_down(false);
}

void EmulatedLink::handle_input(Side from, ByteVector bytes, TimePoint now) {
  Result<SuperPacket> packet = SuperPacket::parse(std::move(bytes));
  if (!packet.ok()) {
    ++malformed_;
    return;
  }
  if (from == Side::near && !translator_.outward(*packet)) {
    ++unmapped_;
    return;
  }
  direction(from).handle_input(std::move(*packet), now);
}

void EmulatedLink::handle_deadline(TimePoint now) {
  while (next_event_ < settings_.events.size() &&
         start_ + settings_.events[next_event_].at <= now) {
    switch (settings_.events[next_event_].kind) {
      case LinkEvent::Kind::down:
      case LinkEvent::Kind::up: {
        const bool down = settings_.events[next_event_].kind == LinkEvent::Kind::down;
        forward_.set_down(down);
        back_.set_down(down);
        break;
      }
      case LinkEvent::Kind::rebind:
        translator_.rebind();
        break;
    }
    ++next_event_;
  }
}

std::optional<ByteVector> EmulatedLink::poll_output(Side to, TimePoint now) {
  if (auto answer = direction(to).poll_answer()) return answer;
  while (auto packet = direction(other(to)).poll_output(now)) {
    if (to == Side::far || translator_.inward(*packet)) return std::move(*packet).take();
    ++unmapped_;
  }
  return std::nullopt;
}

std::optional<TimePoint> EmulatedLink::next_deadline() const {
  std::optional<TimePoint> next;
  const auto consider = [&next](std::optional<TimePoint> at) {
    if (at && (!next || *at < *next)) next = at;
  };
  consider(forward_.next_deadline());
  consider(back_.next_deadline());
  if (next_event_ < settings_.events.size()) consider(start_ + settings_.events[next_event_].at);
  return next;
}

}  // namespace karst::lab
