#include "driver/pace.h"

#include <algorithm>

namespace karst::driver {
namespace {

// Less than a packet is not worth a turn.
constexpr std::size_t kTurnBytesMin = 1'400;

}  // namespace

Pace::Pace(std::uint64_t bytes_per_second, Ports& ports)
    : ports_(ports),
      ways_{{{RateLimit(bytes_per_second, ports.now())},
             {RateLimit(bytes_per_second, ports.now())}}} {
  for (const Direction direction : {Direction::to_client, Direction::to_target}) {
    way(direction).timer = ports.make_timer([this, direction] { serve(direction); });
  }
}

std::size_t Pace::room(Direction direction) {
  Way& found = way(direction);
  const std::size_t room = found.limit.room(ports_.now());
  const std::size_t share = found.share > 0 ? found.share : room / (found.waiting.size() + 1);
  return std::min(room, std::max(kTurnBytesMin, share));
}

void Pace::wait(Direction direction, Waiter& waiter) {
  Way& found = way(direction);
  if (std::ranges::contains(found.waiting, &waiter)) return;
  found.waiting.push_back(&waiter);
  if (found.waiting.size() == 1) found.timer->arm(found.limit.ready_at());
}

void Pace::stop_waiting(Waiter& waiter) {
  for (Way& found : ways_) std::erase(found.waiting, &waiter);
}

void Pace::serve(Direction direction) {
  Way& found = way(direction);
  if (found.waiting.empty()) return;
  found.share = found.limit.room(ports_.now()) / found.waiting.size();
  // Each at most once: who takes its part and wants more stands at the end again.
  for (std::size_t left = found.waiting.size(); left > 0 && !found.waiting.empty(); --left) {
    if (found.limit.room(ports_.now()) == 0) break;
    Waiter* const next = found.waiting.front();
    found.waiting.pop_front();
    next->on_pace(direction);
  }
  found.share = 0;
  if (!found.waiting.empty()) found.timer->arm(found.limit.ready_at());
}

}  // namespace karst::driver
