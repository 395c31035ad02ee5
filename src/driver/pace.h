#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "driver/ports.h"
#include "driver/rate_limit.h"

namespace karst::driver {

// The bytes a second that one client may move in each direction, over all its links and streams.
// Sources are read and sinks written no faster than that, so that the multiplexer's credit and TCP
// slow the far end down; nothing is dropped. Those who wait are served in turn, each with its part
// of what may move. Shared by the client's links; lives on one thread.
class Pace {
 public:
  enum class Direction : std::uint8_t { to_client, to_target };
  class Waiter {
   public:
    // There may be room again; once for each wait().
    virtual void on_pace(Direction direction) = 0;

   protected:
    ~Waiter() = default;
  };

  // 0: no limit.
  Pace(std::uint64_t bytes_per_second, Ports& ports);
  Pace(const Pace&) = delete;
  Pace& operator=(const Pace&) = delete;

  // How much the caller may move now.
  std::size_t room(Direction direction);
  void take(Direction direction, std::size_t bytes) { way(direction).limit.take(bytes); }
  // Once more while it waits changes nothing.
  void wait(Direction direction, Waiter& waiter);
  void stop_waiting(Waiter& waiter);

 private:
  struct Way {
    RateLimit limit;
    std::deque<Waiter*> waiting{};
    std::unique_ptr<Timer> timer{};
    std::size_t share = 0;  // of each, while those who wait are served; otherwise 0
  };
  Way& way(Direction direction) { return ways_[static_cast<std::size_t>(direction)]; }
  void serve(Direction direction);

  Ports& ports_;
  std::array<Way, 2> ways_;
};

}  // namespace karst::driver
