#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <vector>

#include "base/bytes.h"
#include "stream/mux/mux.h"

// For the tests of this folder: two multiplexers with a path between them that has a rate and a
// delay, in virtual time. The path takes as much as it can carry, as a warm TCP connection does.
namespace karst::stream::mux {

struct Path {
  Duration delay;  // one way
  std::uint64_t bytes_per_second;
};

class Simulation {
 public:
  explicit Simulation(const Path& path, Limits limits = {})
      : path_(path),
        client(Role::client, limits, budget, now),
        server(Role::server, limits, budget, now) {
    client.set_rtt(2 * path.delay);
    server.set_rtt(2 * path.delay);
  }

  // Called after each event of either side; what the users of the streams do.
  std::function<void(Mux& mux, const Event& event)> on_event = [](Mux&, const Event&) {};
  // Called whenever a side is about to fill a record: what it has to send.
  std::function<void(Mux& mux)> on_turn = [](Mux&) {};
  // While it says so nothing that has arrived is handed over (a lost segment is repaired).
  std::function<bool()> held_up = [] { return false; };

  void run_until(TimePoint end) {
    while (now < end) {
      for (Direction* direction : {&down_, &up_}) {
        deliver(*direction);
        fill(*direction);
      }
      now += kStep;
    }
  }
  void run_for(Duration time) { run_until(now + time); }
  std::uint64_t records_up() const { return up_.records; }

 private:
  struct InFlight {
    TimePoint arrives;
    ByteVector record;
  };
  struct Direction {
    Mux& from;
    Mux& to;
    TimePoint free_at{};
    std::deque<InFlight> in_flight{};
    std::uint64_t records = 0;
  };

  static constexpr Duration kStep = std::chrono::microseconds(100);
  // What lies around a full record's plaintext below us.
  static constexpr std::size_t kOverhead = 71;

  void deliver(Direction& direction) {
    while (!direction.in_flight.empty() && direction.in_flight.front().arrives <= now) {
      if (held_up()) return;
      const auto handled = direction.to.handle_record(direction.in_flight.front().record, now);
      ASSERT_TRUE(handled.ok()) << handled.error().kind().name;
      spare_.push_back(std::move(direction.in_flight.front().record));
      direction.in_flight.pop_front();
      while (const auto event = direction.to.poll_event()) on_event(direction.to, *event);
    }
  }

  void fill(Direction& direction) {
    if (direction.free_at < now) direction.free_at = now;
    while (direction.free_at < now + kStep) {
      on_turn(direction.from);
      while (const auto event = direction.from.poll_event()) on_event(direction.from, *event);
      ByteVector space;
      if (!spare_.empty()) {
        space = std::move(spare_.back());
        spare_.pop_back();
      }
      space.resize(wire::kPlaintextBytesMax);
      const auto record = direction.from.poll_record(space, Allowed::everything, now);
      if (!record) return;
      ++direction.records;
      space.resize(record->size);
      const auto bytes = static_cast<std::int64_t>(record->size + kOverhead);
      direction.free_at +=
          Duration(bytes * 1'000'000'000 / static_cast<std::int64_t>(path_.bytes_per_second));
      direction.in_flight.push_back({direction.free_at + path_.delay, std::move(space)});
    }
  }

  const Path path_;
  std::vector<ByteVector> spare_;

 public:
  MemoryBudget budget{1ull << 30};
  TimePoint now{std::chrono::seconds(1000)};
  Mux client;
  Mux server;

 private:
  Direction down_{server, client};
  Direction up_{client, server};
};

}  // namespace karst::stream::mux
