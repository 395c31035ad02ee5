#include "lab/churn.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "base/prng.h"
#include "driver/ports.h"
#include "lab/load.h"
#include "lab/pattern.h"
#include "lab/socks_client.h"
#include "platform/linux/blocking_tcp.h"
#include "platform/linux/clock.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using platform::BlockingTcp;
using platform::monotonic_now;

constexpr std::size_t kChunk = std::size_t{64} << 10;
constexpr unsigned kSizeBitsMax = 22;  // 4 MiB
// A stream that takes longer is stuck.
constexpr Duration kPatience = 60s;
constexpr Duration kBetweenLooks = 200ms;
// The far side of a stream that was reset learns of it later than the near one.
constexpr unsigned kFarThreadsEach = 3;

constexpr ErrorKind kNotReset{"lab", "not-reset",
                              "a reset arrived as an orderly end of the stream"};
constexpr ErrorKind kNotEnded{"lab", "not-ended", "bytes came after what was to be the last one"};

enum class Shape : std::uint32_t { whole, half_closed, near_resets, far_resets };
constexpr std::uint32_t kShapes = 4;

// The first bytes of every connection.
struct Request {
  std::uint32_t number = 0;
  Shape shape = Shape::whole;
  std::uint64_t up = 0;  // bytes each way
  std::uint64_t down = 0;
};

// Different on every stream and in both directions.
Pattern up_pattern(const Request& request) { return Pattern(request.number * 2 + 1); }
Pattern down_pattern(const Request& request) { return Pattern(request.number * 2); }

class Churn {
 public:
  explicit Churn(const ChurnPlan& plan)
      : plan_(plan), start_(monotonic_now()), end_(start_ + plan.length) {}

  ChurnResult run();

 private:
  void near_thread(std::uint64_t seed);
  void far_thread(platform::BlockingListener& listener);
  Result<void> near_stream(const Request& request);
  Result<void> far_stream(BlockingTcp connection);
  Result<void> send(BlockingTcp& connection, const Pattern& pattern, std::uint64_t count);
  Result<void> receive(BlockingTcp& connection, const Pattern& pattern, std::uint64_t count);
  Result<void> receive_end(BlockingTcp& connection);
  Result<void> receive_reset(BlockingTcp& connection, const Pattern& pattern);
  void note(const char* side, const Result<void>& result);
  void count_stream();
  bool over() const {
    return monotonic_now() >= end_ || (plan_.stop != nullptr && plan_.stop->load());
  }
  TimePoint patience() const { return std::min(end_, monotonic_now() + kPatience); }

  const ChurnPlan& plan_;
  const TimePoint start_;
  const TimePoint end_;
  std::atomic<std::uint32_t> next_ = 0;
  std::array<std::atomic<std::uint64_t>, 4> streams_{};  // by quarter
  std::atomic<std::uint64_t> bytes_ = 0;
  std::mutex mutex_;
  std::optional<std::string> failure_;  // under mutex_
};

// What is cut off by the end of the whole is not counted.
void Churn::note(const char* side, const Result<void>& result) {
  if (result.has_value() || over()) return;
  const std::scoped_lock lock(mutex_);
  if (failure_) return;
  failure_ =
      std::string("a short stream, ") + side + " side: " + std::string(result.error().kind().text);
  if (result.error().detail() != 0) *failure_ += ", " + std::to_string(result.error().detail());
}

Result<void> Churn::send(BlockingTcp& connection, const Pattern& pattern, std::uint64_t count) {
  for (std::uint64_t offset = 0; offset < count;) {
    const Bytes run = pattern.from(offset);
    const std::size_t most = std::min({run.size(), kChunk, std::size_t(count - offset)});
    TRY_ASSIGN(const std::size_t put, connection.send(run.first(most), patience()));
    offset += put;
  }
  return {};
}

Result<void> Churn::receive(BlockingTcp& connection, const Pattern& pattern, std::uint64_t count) {
  ByteVector space(kChunk);
  for (std::uint64_t offset = 0; offset < count;) {
    const std::size_t most = std::min(space.size(), std::size_t(count - offset));
    TRY_ASSIGN(const std::size_t got,
               connection.receive(MutableBytes(space).first(most), patience()));
    if (got == 0) return driver::kReset;
    if (!pattern.matches(Bytes(space).first(got), offset)) return kWrongBytes;
    offset += got;
    bytes_ += got;
  }
  return {};
}

Result<void> Churn::receive_end(BlockingTcp& connection) {
  std::array<std::uint8_t, 1> space{};
  TRY_ASSIGN(const std::size_t got, connection.receive(space, patience()));
  if (got != 0) return kNotEnded;
  return {};
}

// A stream that was cut may not look complete.
Result<void> Churn::receive_reset(BlockingTcp& connection, const Pattern& pattern) {
  ByteVector space(kChunk);
  for (std::uint64_t offset = 0;;) {
    const auto got = connection.receive(space, patience());
    if (!got.ok()) {
      if (got.error().is(driver::kTimedOut)) return got.error();
      return {};
    }
    if (*got == 0) return kNotReset;
    if (!pattern.matches(Bytes(space).first(*got), offset)) return kWrongBytes;
    offset += *got;
    bytes_ += *got;
  }
}

Result<void> Churn::near_stream(const Request& request) {
  TRY_ASSIGN(BlockingTcp connection, connect_through(plan_.socks, plan_.target, patience()));
  std::array<std::uint8_t, sizeof request> head{};
  std::memcpy(head.data(), &request, sizeof request);
  TRY(connection.send_all(head, patience()));
  if (request.shape == Shape::near_resets) {
    TRY(send(connection, up_pattern(request), request.up / 2));
    connection.abort_on_close();
    return {};
  }
  TRY(send(connection, up_pattern(request), request.up));
  if (request.shape == Shape::half_closed) TRY(connection.end_sending());
  if (request.shape == Shape::far_resets) return receive_reset(connection, down_pattern(request));
  TRY(receive(connection, down_pattern(request), request.down));
  return receive_end(connection);
}

Result<void> Churn::far_stream(BlockingTcp connection) {
  Request request;
  std::array<std::uint8_t, sizeof request> head{};
  // A stream that was reset at once may not have come this far.
  if (!connection.receive_all(head, patience()).has_value()) return {};
  std::memcpy(&request, head.data(), sizeof request);
  const Pattern pattern = up_pattern(request);
  if (request.shape == Shape::near_resets) return receive_reset(connection, pattern);
  TRY(receive(connection, pattern, request.up));
  if (request.shape == Shape::half_closed) TRY(receive_end(connection));
  if (request.shape == Shape::far_resets) {
    TRY(send(connection, down_pattern(request), request.down / 2));
    connection.abort_on_close();
    return {};
  }
  TRY(send(connection, down_pattern(request), request.down));
  TRY(connection.end_sending());
  return request.shape == Shape::whole ? receive_end(connection) : Result<void>();
}

void Churn::count_stream() {
  const auto quarter = static_cast<std::size_t>((monotonic_now() - start_) * 4 / plan_.length);
  ++streams_[std::min<std::size_t>(quarter, 3)];
}

void Churn::near_thread(std::uint64_t seed) {
  const auto inside = plan_.near->enter();
  if (!inside.ok()) return note("near", inside.error());
  Prng prng(seed);
  const auto size = [&prng] {
    return 1 + prng.below(std::uint64_t{1} << prng.below(kSizeBitsMax + 1));
  };
  while (!over()) {
    const Request request{.number = next_++,
                          .shape = static_cast<Shape>(prng.below(kShapes)),
                          .up = size(),
                          .down = size()};
    const Result<void> result = near_stream(request);
    note("near", result);
    if (result.has_value()) {
      count_stream();
    } else {
      platform::wait_until(std::min(end_, monotonic_now() + 100ms));
    }
  }
}

void Churn::far_thread(platform::BlockingListener& listener) {
  while (!over()) {
    auto accepted = listener.accept(std::min(end_, monotonic_now() + kBetweenLooks));
    if (!accepted.ok() && accepted.error().is(driver::kTimedOut)) continue;
    if (!accepted.ok()) return note("far", accepted.error());
    note("far", far_stream(std::move(*accepted)));
  }
}

ChurnResult Churn::run() {
  std::optional<platform::BlockingListener> listener;
  {
    const auto inside = plan_.far->enter();
    auto opened = platform::BlockingListener::open(plan_.target);
    if (!inside.ok() || !opened.ok()) return {.failure = "cannot listen in the far namespace"};
    listener = std::move(*opened);
  }
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < plan_.at_once * kFarThreadsEach; ++i) {
    threads.emplace_back([this, &listener] { far_thread(*listener); });
  }
  for (unsigned i = 0; i < plan_.at_once; ++i) {
    threads.emplace_back([this, i] { near_thread(plan_.seed * 1000 + i); });
  }
  for (std::thread& thread : threads) thread.join();
  ChurnResult result{.bytes = bytes_, .failure = std::move(failure_)};
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    result.streams_by_quarter[i] = streams_[i];
    result.streams += streams_[i];
  }
  return result;
}

}  // namespace

ChurnResult run_churn(const ChurnPlan& plan) { return Churn(plan).run(); }

}  // namespace karst::lab
