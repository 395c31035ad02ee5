#pragma once

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "driver/ports.h"

// For tests: ports on a clock that the test moves, and a socket whose other side is the test. What
// a test does not need is refused.
namespace karst::driver {

// The test's side of one TCP connection.
struct FakeSocket {
  TcpStream::Handler* handler = nullptr;
  Interest interest = Interest::none;
  std::string input;  // to be read
  bool input_ended = false;
  std::string output;  // was written
  bool shut = false;
  bool aborted = false;
  bool guarded = false;  // its end would be a reset
  bool closed = false;
};

class FakeTcpStream final : public TcpStream {
 public:
  explicit FakeTcpStream(FakeSocket& socket) : socket_(socket) {}
  ~FakeTcpStream() override {
    socket_.closed = true;
    socket_.handler = nullptr;
  }

  void set_handler(Handler& handler) override { socket_.handler = &handler; }
  void set_interest(Interest interest) override { socket_.interest = interest; }
  Result<std::size_t> read(MutableBytes space) override {
    if (socket_.input.empty() && !socket_.input_ended) return kWouldBlock;
    const std::size_t count = std::min(space.size(), socket_.input.size());
    copy_bytes(space, as_bytes(socket_.input).first(count));
    socket_.input.erase(0, count);
    return count;
  }
  Result<std::size_t> write(std::span<const Bytes> runs) override {
    std::size_t count = 0;
    for (const Bytes run : runs) {
      socket_.output += as_text(run);
      count += run.size();
    }
    return count;
  }
  void shutdown_write() override {
    socket_.shut = true;
    socket_.guarded = false;
  }
  void abort_on_close() override { socket_.aborted = true; }
  void reset_unless_shut() override { socket_.guarded = true; }
  void set_unsent_low_water(std::uint32_t) override {}
  void set_silence_limit(Duration) override {}
  void set_retransmission_pause(Duration) override {}
  std::string choose_congestion_control(std::string_view) override { return "cubic"; }
  TcpInfo info() override { return {}; }
  Endpoint local() const override { return {}; }
  Endpoint remote() const override { return {}; }

 private:
  FakeSocket& socket_;
};

class FakePorts final : public Ports {
 public:
  TimePoint now() const override { return now_; }
  TimePoint clock() const override { return clock_; }
  UnixTime wall_time() const override { return UnixTime{1'750'000'000}; }

  std::unique_ptr<Timer> make_timer(Callback callback) override {
    return std::make_unique<FakeTimer>(*this, std::move(callback));
  }
  std::unique_ptr<EndOfTurn> make_end_of_turn(Callback) override { return nullptr; }
  Result<std::unique_ptr<TcpStream>> connect(const Endpoint&) override {
    if (connect_error) return *connect_error;
    return std::make_unique<FakeTcpStream>(connected.emplace_back());
  }
  Result<std::unique_ptr<TcpListener>> listen(const Endpoint&) override { return kPermission; }
  Result<std::unique_ptr<UdpSocket>> open_udp(const Endpoint&) override { return kPermission; }
  std::unique_ptr<Lookup> look_up(std::string_view name, AddressFamily family,
                                  LookupCallback callback) override {
    look_ups.push_back({std::string(name), family, std::move(callback)});
    return std::make_unique<Lookup>();
  }
  std::vector<IpAddress> own_addresses() override { return {}; }

  // What connect() gives: an error, or a socket each, whose handler the test tells the result.
  std::optional<Error> connect_error = kRefused;
  std::deque<FakeSocket> connected;

  // Every look-up so far; the test answers them.
  struct AskedLookUp {
    std::string name;
    AddressFamily family;
    LookupCallback callback;
  };
  std::vector<AskedLookUp> look_ups;

  // Work within a turn: clock() moves at once, now() when the next turn begins.
  void work(Duration time) { clock_ += time; }
  // Begins the turn of the earliest timer; false if none is armed for `end` or before.
  bool step(TimePoint end = TimePoint::max()) {
    if (armed_.empty() || armed_.begin()->first > end) return false;
    const auto [at, timer] = *armed_.begin();
    now_ = clock_ = std::max(clock_, at);
    timer->fire();
    return true;
  }
  // Lets time pass, timer by timer.
  void pass(Duration time) {
    const TimePoint end = now_ + time;
    while (step(end)) {
    }
    now_ = clock_ = end;
  }

 private:
  class FakeTimer final : public Timer {
   public:
    FakeTimer(FakePorts& ports, Callback callback)
        : ports_(ports), callback_(std::move(callback)) {}
    ~FakeTimer() override { disarm(); }
    void arm(TimePoint at) override {
      disarm();
      at_ = at;
      ports_.armed_.emplace(at, this);
    }
    void disarm() override { ports_.armed_.erase({at_, this}); }
    // Moved out, since the callback may destroy this.
    void fire() {
      disarm();
      const auto alive = std::make_shared<Callback>(std::move(callback_));
      callback_ = [alive] { (*alive)(); };
      (*alive)();
    }

   private:
    FakePorts& ports_;
    Callback callback_;
    TimePoint at_{};
  };

  TimePoint now_{std::chrono::seconds(1000)};
  TimePoint clock_ = now_;
  std::set<std::pair<TimePoint, FakeTimer*>> armed_;
};

}  // namespace karst::driver
