#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/time.h"

namespace karst::tunnel {

// What keeps a sending direction from moving more right now; exactly one at any moment.
enum class Limiter : std::uint8_t {
  idle,                  // no stream is open: not busy time
  application,           // streams are open and nothing waits to be sent
  ratchet,               // the epoch is spent and no prepared one is there
  mux_credit,            // the far side's sink has not taken enough yet
  h2_stream_credit,      // HTTP/2 flow control of the tunnel's stream
  h2_connection_credit,  // HTTP/2 flow control of the connection
  congestion_window,     // the socket is full because TCP may not send more (cwnd, pacing)
  receive_window,        // the socket is full because the far kernel's buffer is
  send_buffer,           // the socket is full because of our kernel's buffer limit
  cpu,                   // data, credit and room were there: the loop was busy
};
inline constexpr std::size_t kLimiterCount = 10;

std::string_view name(Limiter limiter);

// A running total from TCP_INFO; only differences matter.
struct PathCounters {
  Duration busy{};
  Duration receive_window_limited{};
  Duration send_buffer_limited{};
};

// Charges every moment of one sending direction to one limiter. The owner says at each change
// what binds from now on; the time since the last call goes to what was said before. Time spent
// with a full socket is charged as congestion_window and split afterwards by what TCP_INFO says
// (sample_path). Shares are over busy time (all but idle) and add up to 1.
class LimiterAccount {
 public:
  static constexpr std::size_t kWindowSeconds = 10;
  // From this share of a sample on, a window or buffer is what binds in all of it: in the rest a
  // sender that paces (BBR) keeps to a rate which it learned under that window. Measurements:
  // docs/decisions/a-window-binds-a-paced-sender.md.
  static constexpr double kWindowBoundShare = 0.2;
  using Times = std::array<Duration, kLimiterCount>;

  explicit LimiterAccount(TimePoint now);

  // `limiter` binds from `now` on. Time never runs backwards here: an earlier now counts as none.
  void set(Limiter limiter, TimePoint now);
  // The part of the time since the last call, at most all of it, in which the loop was busy
  // elsewhere although this direction could have moved: goes to cpu.
  void charge_cpu(Duration late, TimePoint now);
  // Splits the full-socket time since the last sample in proportion to what TCP_INFO counted
  // meanwhile. To be called about once a second while the link lives.
  void sample_path(const PathCounters& counters, TimePoint now);

  Limiter current() const { return current_; }
  // Since the beginning, and over the last ten whole or begun seconds.
  Times total(TimePoint now);
  Times recent(TimePoint now);

  // Shares of busy time, each 0..1, adding up to 1, or all 0 without busy time.
  static std::array<double, kLimiterCount> shares(const Times& times);

 private:
  void advance(TimePoint now);
  void charge(Limiter limiter, Duration amount);
  void move(Times& from, Limiter to, Duration amount);

  TimePoint last_;
  Limiter current_ = Limiter::idle;
  Times total_{};
  std::array<Times, kWindowSeconds> seconds_{};
  std::int64_t second_ = 0;
  Duration unsplit_{};
  PathCounters counters_;
};

}  // namespace karst::tunnel
