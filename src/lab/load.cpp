#include "lab/load.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <thread>

#include "driver/ports.h"
#include "lab/pattern.h"
#include "lab/socks_client.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using platform::BlockingTcp;
using platform::monotonic_now;

constexpr Duration kTenth = 100ms;
constexpr Duration kBetweenLooks = 200ms;
constexpr std::size_t kChunk = std::size_t{128} << 10;
// Between the end of a stream and the dialling of the next: also bounds how many there can be.
constexpr Duration kPause = 50ms;

// The first bytes of every connection.
struct Hello {
  std::uint32_t stream = 0;
  std::uint32_t up = 0;
};
constexpr std::size_t kHelloBytes = sizeof(Hello);

// What all threads of one load share.
class Load {
 public:
  explicit Load(const LoadPlan& plan) : plan_(plan) {}

  Result<LoadResult> run();

 private:
  Result<void> near_stream(Hello hello);
  Result<void> near_connection(Hello hello);
  Result<void> far_stream(BlockingTcp connection);
  Result<void> send(BlockingTcp& connection, Hello hello);
  Result<void> receive(BlockingTcp& connection, Hello hello);
  void note(const Result<void>& result);
  Result<platform::BlockingListener> listen() const;
  bool over() const { return monotonic_now() >= end_ || stopped(); }
  bool stopped() const { return plan_.stop != nullptr && plan_.stop->load(); }
  // Until when a call may wait before it looks whether the load is over.
  TimePoint next_look() const { return std::min(end_, monotonic_now() + kBetweenLooks); }
  // A thread in `where` that does `work` and notes how it ended.
  template <class Work>
  std::thread start_in(const platform::NetNamespace* where, Work work) {
    return std::thread([this, where, work = std::move(work)]() mutable {
      if (where == nullptr) return note(work());
      const auto inside = where->enter();
      note(inside.ok() ? work() : Result<void>(inside.error()));
    });
  }

  LoadPlan plan_;
  TimePoint start_{};
  TimePoint end_{};
  std::mutex mutex_;
  LoadResult result_;             // under mutex_
  std::optional<Error> failure_;  // the first one; under mutex_
};

void Load::note(const Result<void>& result) {
  const std::scoped_lock lock(mutex_);
  if (result.has_value()) return;
  // Of all that follows from a wrong byte, it is what must be known.
  if (!failure_ || result.error().is(kWrongBytes)) failure_ = result.error();
}

Result<platform::BlockingListener> Load::listen() const {
  if (plan_.far == nullptr) return platform::BlockingListener::open(plan_.route.target);
  TRY_ASSIGN(const auto inside, plan_.far->enter());
  return platform::BlockingListener::open(plan_.route.target);
}

Result<void> Load::send(BlockingTcp& connection, Hello hello) {
  const Pattern pattern(hello.stream * 2 + hello.up);
  std::uint64_t offset = 0;
  while (!over()) {
    const auto put = connection.send(pattern.from(offset).first(kChunk), next_look());
    if (!put.ok() && put.error().is(driver::kTimedOut)) continue;
    if (!put.ok()) break;  // the time is over, or the receiver has gone since it was
    offset += *put;
  }
  const driver::TcpInfo info = connection.info();
  const std::scoped_lock lock(mutex_);
  result_.senders.push_back({.up = hello.up != 0,
                             .congestion_control = connection.congestion_control(),
                             .retransmitted_segments = info.retransmitted_segments,
                             .rtt = info.rtt,
                             .buffers = connection.buffers()});
  return {};
}

Result<void> Load::receive(BlockingTcp& connection, Hello hello) {
  const Pattern pattern(hello.stream * 2 + hello.up);
  StreamResult result;
  result.up = hello.up != 0;
  ByteVector space(kChunk);
  Result<void> outcome;
  TimePoint heard = start_;
  while (!over()) {
    const auto got = connection.receive(space, next_look());
    if (!got.ok() && got.error().is(driver::kTimedOut)) continue;
    if (!got.ok()) {
      if (monotonic_now() + kTenth < end_) {
        outcome = got.error();
        result.end = StreamResult::End::error;
      }
      break;
    }
    if (*got == 0) {
      if (monotonic_now() + kTenth < end_ && !over()) result.end = StreamResult::End::orderly;
      break;
    }
    if (!pattern.matches(Bytes(space).first(*got), result.bytes)) return kWrongBytes;
    const TimePoint now = monotonic_now();
    const Duration after = now - start_;
    if (result.bytes == 0) {
      result.first_byte = after;
    } else {
      result.silence_max = std::max(result.silence_max, now - heard);
    }
    heard = now;
    result.bytes += *got;
    const auto tenth = static_cast<std::size_t>(after / kTenth);
    if (result.bytes_per_tenth.size() <= tenth) result.bytes_per_tenth.resize(tenth + 1);
    result.bytes_per_tenth[tenth] += *got;
  }
  result.silence_max = std::max(result.silence_max, std::min(monotonic_now(), end_) - heard);
  // What is still under way is of no use to anyone.
  connection.abort_on_close();
  const std::scoped_lock lock(mutex_);
  result_.streams.push_back(std::move(result));
  return outcome;
}

Result<void> Load::near_stream(Hello hello) {
  if (plan_.early_end == EarlyEnd::fails_the_load) return near_connection(hello);
  while (!over() && monotonic_now() + kTenth < end_) {
    const Result<void> result = near_connection(hello);
    if (!result.has_value() && result.error().is(kWrongBytes)) return result;
    platform::wait_until(std::min(monotonic_now() + kPause, end_));
  }
  return {};
}

Result<void> Load::near_connection(Hello hello) {
  const TimePoint deadline = end_;
  TRY_ASSIGN(BlockingTcp connection, connect_by(plan_.route, deadline));
  std::array<std::uint8_t, kHelloBytes> bytes{};
  std::memcpy(bytes.data(), &hello, kHelloBytes);
  TRY(connection.send_all(bytes, deadline));
  return hello.up != 0 ? send(connection, hello) : receive(connection, hello);
}

Result<void> Load::far_stream(BlockingTcp connection) {
  std::array<std::uint8_t, kHelloBytes> bytes{};
  Result<void> result = connection.receive_all(bytes, end_);
  if (result.has_value()) {
    Hello hello;
    std::memcpy(&hello, bytes.data(), kHelloBytes);
    result = hello.up != 0 ? receive(connection, hello) : send(connection, hello);
  }
  const bool noted = plan_.early_end == EarlyEnd::dial_again;
  if (noted && !result.has_value() && !result.error().is(kWrongBytes)) return {};
  return result;
}

Result<LoadResult> Load::run() {
  TRY_ASSIGN(platform::BlockingListener listener, listen());
  std::vector<Hello> hellos;
  for (std::uint32_t i = 0; i < plan_.streams; ++i) {
    if (plan_.traffic != Traffic::down) hellos.push_back({i, 1});
    if (plan_.traffic != Traffic::up) hellos.push_back({i, 0});
  }
  start_ = monotonic_now();
  end_ = start_ + plan_.length;
  std::vector<std::thread> threads;
  for (const Hello hello : hellos) {
    threads.push_back(start_in(plan_.near, [this, hello] { return near_stream(hello); }));
  }
  const bool again = plan_.early_end == EarlyEnd::dial_again;
  while (again || threads.size() < 2 * hellos.size()) {
    auto accepted = listener.accept(next_look());
    if (!accepted.ok() && accepted.error().is(driver::kTimedOut) && !over()) continue;
    if (!accepted.ok()) {
      if (!again) note(accepted.error());
      break;
    }
    threads.push_back(start_in(plan_.far, [this, connection = std::move(*accepted)]() mutable {
      return far_stream(std::move(connection));
    }));
  }
  for (std::thread& thread : threads) thread.join();
  if (failure_) return *failure_;
  if (plan_.early_end == EarlyEnd::fails_the_load && !stopped()) {
    TRY(judge_streams(result_.streams, plan_.length));
  }
  result_.length = plan_.length;
  return std::move(result_);
}

}  // namespace

double LoadResult::rate(bool up, Duration from, Duration to) const {
  const auto first = static_cast<std::size_t>(from / kTenth);
  const auto last = static_cast<std::size_t>(to / kTenth);
  std::uint64_t bytes = 0;
  for (const StreamResult& stream : streams) {
    if (stream.up != up) continue;
    for (std::size_t i = first; i < std::min(last, stream.bytes_per_tenth.size()); ++i) {
      bytes += stream.bytes_per_tenth[i];
    }
  }
  const double seconds = std::chrono::duration<double>((last - first) * kTenth).count();
  return seconds > 0 ? static_cast<double>(bytes) * 8 / seconds : 0;
}

Result<void> judge_streams(const std::vector<StreamResult>& streams, Duration length) {
  const auto half = static_cast<std::size_t>(length / 2 / kTenth);
  for (const StreamResult& stream : streams) {
    if (stream.end == StreamResult::End::orderly) return kEndedEarly;
    if (stream.bytes_per_tenth.size() <= half) return kStalled;
  }
  return {};
}

Result<LoadResult> run_load(const LoadPlan& plan) { return Load(plan).run(); }

}  // namespace karst::lab
