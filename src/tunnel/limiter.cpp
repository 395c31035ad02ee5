#include "tunnel/limiter.h"

#include <algorithm>

namespace karst::tunnel {
namespace {

std::size_t index(Limiter limiter) { return static_cast<std::size_t>(limiter); }

std::int64_t second_of(TimePoint now) {
  return std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
}

}  // namespace

std::string_view name(Limiter limiter) {
  static constexpr std::array<std::string_view, kLimiterCount> kNames = {"idle",
                                                                         "application",
                                                                         "ratchet",
                                                                         "mux credit",
                                                                         "h2 stream credit",
                                                                         "h2 connection credit",
                                                                         "congestion window",
                                                                         "receive window",
                                                                         "send buffer",
                                                                         "cpu"};
  return kNames[index(limiter)];
}

LimiterAccount::LimiterAccount(TimePoint now) : last_(now), second_(second_of(now)) {}

void LimiterAccount::charge(Limiter limiter, Duration amount) {
  total_[index(limiter)] += amount;
  seconds_[static_cast<std::size_t>(second_) % kWindowSeconds][index(limiter)] += amount;
  if (limiter == Limiter::congestion_window) unsplit_ += amount;
}

void LimiterAccount::advance(TimePoint now) {
  if (now <= last_) return;
  const std::int64_t target = second_of(now);
  // A pause longer than the window: what lies before it is over.
  if (target - second_ > static_cast<std::int64_t>(kWindowSeconds)) {
    total_[index(current_)] += now - last_;
    if (current_ == Limiter::congestion_window) unsplit_ += now - last_;
    seconds_.fill({});
    for (auto& second : seconds_) second[index(current_)] = std::chrono::seconds(1);
    second_ = target;
    seconds_[static_cast<std::size_t>(second_) % kWindowSeconds].fill({});
    last_ = now;
    return;
  }
  while (second_ < target) {
    const TimePoint border{std::chrono::seconds(second_ + 1)};
    charge(current_, border - last_);
    last_ = border;
    ++second_;
    seconds_[static_cast<std::size_t>(second_) % kWindowSeconds].fill({});
  }
  charge(current_, now - last_);
  last_ = now;
}

void LimiterAccount::set(Limiter limiter, TimePoint now) {
  advance(now);
  current_ = limiter;
}

void LimiterAccount::charge_cpu(Duration late, TimePoint now) {
  const Duration elapsed = std::max(Duration::zero(), now - last_);
  const Duration cpu = current_ == Limiter::idle || current_ == Limiter::application
                           ? Duration::zero()
                           : std::clamp(late, Duration::zero(), elapsed);
  advance(now - cpu);
  const Limiter before = current_;
  current_ = Limiter::cpu;
  advance(now);
  current_ = before;
}

void LimiterAccount::move(Times& times, Limiter to, Duration amount) {
  const Duration moved = std::min(amount, times[index(Limiter::congestion_window)]);
  times[index(Limiter::congestion_window)] -= moved;
  times[index(to)] += moved;
}

void LimiterAccount::sample_path(const PathCounters& counters, TimePoint now) {
  advance(now);
  const Duration busy = counters.busy - counters_.busy;
  if (busy > Duration::zero() && unsplit_ > Duration::zero()) {
    const auto share = [&](Duration after, Duration before) {
      return std::clamp(
          static_cast<double>((after - before).count()) / static_cast<double>(busy.count()), 0.0,
          1.0);
    };
    double receive_share = share(counters.receive_window_limited, counters_.receive_window_limited);
    double send_share = share(counters.send_buffer_limited, counters_.send_buffer_limited);
    if (const double both = receive_share + send_share; both >= kWindowBoundShare) {
      receive_share /= both;
      send_share /= both;
    }
    const auto part = [&](double of_it) {
      return Duration(static_cast<std::int64_t>(static_cast<double>(unsplit_.count()) * of_it));
    };
    const Duration receive = part(receive_share);
    const Duration send = part(send_share);
    move(total_, Limiter::receive_window, receive);
    move(total_, Limiter::send_buffer, send);
    // The newest seconds first: the sample speaks of the time since the last one.
    Duration receive_left = receive;
    Duration send_left = send;
    for (std::size_t age = 0; age < kWindowSeconds; ++age) {
      const auto slot =
          static_cast<std::size_t>(second_ + static_cast<std::int64_t>(kWindowSeconds - age)) %
          kWindowSeconds;
      const auto take = [&](Limiter to, Duration& left) {
        const Duration amount = std::min(left, seconds_[slot][index(Limiter::congestion_window)]);
        move(seconds_[slot], to, amount);
        left -= amount;
      };
      take(Limiter::receive_window, receive_left);
      take(Limiter::send_buffer, send_left);
    }
  }
  unsplit_ = Duration::zero();
  counters_ = counters;
}

LimiterAccount::Times LimiterAccount::total(TimePoint now) {
  advance(now);
  return total_;
}

LimiterAccount::Times LimiterAccount::recent(TimePoint now) {
  advance(now);
  Times sum{};
  for (const Times& second : seconds_) {
    for (std::size_t i = 0; i < kLimiterCount; ++i) sum[i] += second[i];
  }
  return sum;
}

std::array<double, kLimiterCount> LimiterAccount::shares(const Times& times) {
  Duration busy{};
  for (std::size_t i = 0; i < kLimiterCount; ++i) {
    if (i != index(Limiter::idle)) busy += times[i];
  }
  std::array<double, kLimiterCount> out{};
  if (busy <= Duration::zero()) return out;
  for (std::size_t i = 0; i < kLimiterCount; ++i) {
    if (i == index(Limiter::idle)) continue;
    out[i] = static_cast<double>(times[i].count()) / static_cast<double>(busy.count());
  }
  return out;
}

}  // namespace karst::tunnel
