#include "lab/load.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <functional>
#include <thread>

#include "platform/linux/clock.h"
#include "platform/linux/unique_fd.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;
using platform::BlockingListener;
using platform::BlockingTcp;
using platform::monotonic_now;

// A stream of which a byte arrived in each of the first `tenths` tenths of a second.
StreamResult stream_of(std::size_t tenths, StreamResult::End end = StreamResult::End::lasted) {
  return {.up = false,
          .bytes = tenths,
          .first_byte = {},
          .silence_max = {},
          .bytes_per_tenth = std::vector<std::uint64_t>(tenths, 1),
          .end = end};
}

TEST(JudgeStreams, ones_that_lasted_are_right) {
  EXPECT_TRUE(judge_streams({stream_of(80), stream_of(41)}, 8s).ok());
}

TEST(JudgeStreams, one_that_looks_complete_before_the_end_is_not) {
  const auto judged = judge_streams({stream_of(80), stream_of(60, StreamResult::End::orderly)}, 8s);
  ASSERT_FALSE(judged.ok());
  EXPECT_TRUE(judged.error().is(kEndedEarly));
}

TEST(JudgeStreams, one_without_a_byte_in_the_second_half_has_stalled) {
  const auto judged = judge_streams({stream_of(80), stream_of(40)}, 8s);
  ASSERT_FALSE(judged.ok());
  EXPECT_TRUE(judged.error().is(kStalled));
}

constexpr Duration kLength = 1s;

Endpoint free_loopback_port() {
  const platform::UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* address = reinterpret_cast<sockaddr*>(&at);
  if (::bind(fd.get(), address, size) != 0 || ::getsockname(fd.get(), address, &size) != 0) {
    ADD_FAILURE() << "no free port";
  }
  return {IpAddress::v4({127, 0, 0, 1}), ntohs(at.sin_port)};
}

// What a relay does with bytes that came from the far side, from its `since` on; false: it ends.
using Treatment = std::function<bool(Duration since, MutableBytes bytes)>;

// Carries one download from the far side to the near one, through a program that may misbehave.
class Relay {
 public:
  explicit Relay(Treatment treatment) : treatment_(std::move(treatment)) {
    auto listener = BlockingListener::open(dial_);
    EXPECT_TRUE(listener.ok());
    thread_ = std::thread([this, listener = std::move(*listener)]() mutable {
      const auto result = carry(listener);
      EXPECT_TRUE(result.has_value());
    });
  }
  ~Relay() { thread_.join(); }
  Relay(const Relay&) = delete;

  Result<LoadResult> load() {
    LoadPlan plan;
    plan.route = {.target = target_, .socks = {}, .dial = dial_};
    plan.length = kLength;
    return run_load(plan);
  }

 private:
  Result<void> carry(BlockingListener& listener) {
    const TimePoint start = monotonic_now();
    const TimePoint end = start + 5s;
    TRY_ASSIGN(BlockingTcp near, listener.accept(end));
    TRY_ASSIGN(BlockingTcp far, BlockingTcp::connect(target_, end));
    ByteVector hello(8);
    TRY(near.receive_all(hello, end));
    TRY(far.send_all(hello, end));
    ByteVector space(std::size_t{64} << 10);
    while (true) {
      const auto got = far.receive(space, end);
      if (!got.ok() || *got == 0) return {};
      const auto bytes = MutableBytes(space).first(*got);
      if (!treatment_(monotonic_now() - start, bytes)) break;
      if (!near.send_all(bytes, end).has_value()) return {};
    }
    return near.end_sending();
  }

  Endpoint target_ = free_loopback_port();
  Endpoint dial_ = free_loopback_port();
  Treatment treatment_;
  std::thread thread_;
};

TEST(Load, a_stream_that_lasts_is_no_error_and_never_silent_for_long) {
  Relay relay([](Duration, MutableBytes) { return true; });
  const auto load = relay.load();
  ASSERT_TRUE(load.ok());
  ASSERT_EQ(load->streams.size(), 1u);
  EXPECT_GT(load->streams[0].bytes, 0u);
  EXPECT_EQ(load->streams[0].end, StreamResult::End::lasted);
  EXPECT_LT(load->streams[0].silence_max, kLength / 2);
}

TEST(Load, a_stream_that_ends_in_good_order_before_its_time_is_an_error) {
  Relay relay([](Duration since, MutableBytes) { return since < 300ms; });
  const auto load = relay.load();
  ASSERT_FALSE(load.ok());
  EXPECT_TRUE(load.error().is(kEndedEarly));
}

TEST(Load, a_stream_that_stands_still_says_for_how_long) {
  bool stood = false;
  Relay relay([&stood](Duration since, MutableBytes) {
    if (since > 200ms && !stood) {
      stood = true;
      platform::wait_until(monotonic_now() + 500ms);
    }
    return true;
  });
  const auto load = relay.load();
  ASSERT_TRUE(load.ok());
  EXPECT_GE(load->streams[0].silence_max, 400ms);
}

TEST(Load, silence_to_the_end_counts) {
  Relay relay([](Duration since, MutableBytes) {
    if (since > 650ms) platform::wait_until(monotonic_now() + kLength);
    return true;
  });
  const auto load = relay.load();
  ASSERT_TRUE(load.ok());
  EXPECT_GE(load->streams[0].silence_max, 250ms);
}

TEST(Load, a_wrong_byte_is_told_from_an_early_end) {
  Relay relay([](Duration since, MutableBytes bytes) {
    if (since > 200ms) bytes.back() ^= 1;
    return true;
  });
  const auto load = relay.load();
  ASSERT_FALSE(load.ok());
  EXPECT_TRUE(load.error().is(kWrongBytes));
}

}  // namespace
}  // namespace karst::lab
