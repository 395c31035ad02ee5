#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/linux/clock.h"
#include "platform/linux/event_loop.h"

// For the tests of this folder only.
namespace karst::platform {

using namespace std::chrono_literals;

inline Endpoint loopback(std::uint16_t port = 0) { return {IpAddress::v4({127, 0, 0, 1}), port}; }
inline Endpoint loopback6(std::uint16_t port = 0) { return {*IpAddress::parse("::1"), port}; }

class LoopTest : public ::testing::Test {
 protected:
  explicit LoopTest(const ResolverOptions& options = {})
      : loop_owner_(std::move(*EventLoop::create(options))), loop(*loop_owner_) {}

  // Turns until `done` holds; false, and a failure, when it does not within `longest`.
  template <class Condition>
  bool until(Condition done, Duration longest = 20s) {
    const TimePoint deadline = monotonic_now() + longest;
    while (!done()) {
      const TimePoint now = monotonic_now();
      if (now >= deadline) {
        ADD_FAILURE() << "the condition did not come true";
        return false;
      }
      loop.run_turn(deadline - now);
    }
    return true;
  }
  // One turn that does not sleep.
  void turn() { loop.run_turn(Duration::zero()); }
  void turns(int count) {
    for (int i = 0; i < count; ++i) turn();
  }

 private:
  std::unique_ptr<EventLoop> loop_owner_;

 protected:
  EventLoop& loop;
};

// A stream with a handler that reads all there is and notes what happens.
struct Conversation : driver::TcpStream::Handler {
  virtual ~Conversation() = default;
  void use(std::unique_ptr<driver::TcpStream> opened) {
    stream = std::move(opened);
    stream->set_handler(*this);
  }
  void on_connected(Result<void> result) override {
    ++results;
    if (result.ok()) {
      connected = true;
      stream->set_interest(driver::Interest::read);
    } else {
      error = result.error();
    }
  }
  void on_readable() override {
    ++readable;
    std::uint8_t space[16384];
    for (;;) {
      const auto got = stream->read(space);
      if (!got.ok()) {
        if (got.error().is(driver::kWouldBlock)) return;
        error = got.error();
      } else if (*got == 0) {
        ended = true;
      } else {
        received.append(as_text(Bytes(space).first(*got)));
        continue;
      }
      return stream->set_interest(driver::Interest::none);
    }
  }
  void on_writable() override { ++writable; }
  Result<std::size_t> write(std::string_view text) {
    const Bytes runs[] = {as_bytes(text)};
    return stream->write(runs);
  }

  std::unique_ptr<driver::TcpStream> stream;
  bool connected = false;
  bool ended = false;
  std::optional<Error> error;
  std::string received;
  int results = 0;
  int readable = 0;
  int writable = 0;
};

struct Accepted : driver::TcpListener::Handler {
  virtual ~Accepted() = default;
  void on_accept(std::unique_ptr<driver::TcpStream> stream) override {
    streams.push_back(std::make_unique<Conversation>());
    streams.back()->use(std::move(stream));
    streams.back()->stream->set_interest(driver::Interest::read);
  }
  void on_accept_rests() override { ++rests; }
  std::vector<std::unique_ptr<Conversation>> streams;
  int rests = 0;
};

}  // namespace karst::platform
