#include "stream/mux/scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <vector>

namespace karst::stream::mux {
namespace {

using Next = Scheduler::Next;

// Flows that always have `chunk`-sized pieces to send, into records of kPlaintextBytesMax.
struct Bench {
  Scheduler scheduler;
  std::vector<Flow> flows;
  std::map<std::uint32_t, std::size_t> sent;

  explicit Bench(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) flows.push_back({.stream = wire::StreamId{i}});
  }
  ~Bench() {
    for (Flow& flow : flows) scheduler.remove(flow);
  }
  static std::uint32_t id(const Flow& flow) { return static_cast<std::uint32_t>(flow.stream); }

  // One record; the flows in the order in which they sent. Whoever is named in `left` has only
  // that many bytes, all others as many as they may send.
  std::vector<std::uint32_t> record(std::map<std::uint32_t, std::size_t> left = {}) {
    std::vector<std::uint32_t> order;
    std::size_t room = wire::kPlaintextBytesMax;
    while (!scheduler.empty()) {
      Flow& flow = scheduler.front();
      const auto entry = left.find(id(flow));
      const std::size_t has = entry == left.end() ? SIZE_MAX : entry->second;
      const std::size_t allowance = scheduler.allowance();
      const std::size_t bytes = std::min({has, allowance, room});
      room -= bytes;
      sent[id(flow)] += bytes;
      order.push_back(id(flow));
      const Next next = bytes == has         ? Next::nothing
                        : bytes == allowance ? Next::turn_over
                                             : Next::record_full;
      scheduler.served(bytes, next);
      if (next == Next::record_full) break;
    }
    return order;
  }
};

TEST(Scheduler, eight_bulk_flows_share_within_a_tenth) {
  Bench bench(8);
  for (Flow& flow : bench.flows) bench.scheduler.add(flow);
  for (int i = 0; i < 800; ++i) bench.record();
  const auto [least, most] =
      std::ranges::minmax_element(bench.sent, {}, [](const auto& entry) { return entry.second; });
  EXPECT_EQ(bench.sent.size(), 8u);
  EXPECT_LT(most->second - least->second, least->second / 10);
}

TEST(Scheduler, flows_with_packets_of_any_size_share_alike) {
  Bench bench(3);
  constexpr std::size_t kSizes[] = {60, 1'408, 16'335};
  for (Flow& flow : bench.flows) bench.scheduler.add(flow);
  for (int i = 0; i < 100'000; ++i) {
    Flow& flow = bench.scheduler.front();
    const std::size_t allowance = bench.scheduler.allowance();
    std::size_t bytes = 0;
    while (bytes < allowance) bytes += kSizes[bench.id(flow)];
    bench.sent[bench.id(flow)] += bytes;
    bench.scheduler.served(bytes, Next::turn_over);
  }
  EXPECT_NEAR(double(bench.sent[0]) / double(bench.sent[2]), 1, 0.01);
  EXPECT_NEAR(double(bench.sent[1]) / double(bench.sent[2]), 1, 0.01);
}

TEST(Scheduler, a_small_request_goes_before_saturating_flows) {
  Bench bench(9);
  for (int i = 0; i < 8; ++i) bench.scheduler.add(bench.flows[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 100; ++i) bench.record();
  bench.scheduler.add(bench.flows[8]);
  EXPECT_EQ(bench.record({{8, 64}}).front(), 8u);
}

TEST(Scheduler, a_flow_of_small_requests_stays_interactive_as_long_as_it_sends_little) {
  Bench bench(5);
  for (int i = 0; i < 4; ++i) bench.scheduler.add(bench.flows[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 20; ++i) bench.record();
  for (int i = 0; i < 1000; ++i) {
    bench.scheduler.add(bench.flows[4]);
    ASSERT_EQ(bench.record({{4, 64}}).front(), 4u) << i;
  }
}

TEST(Scheduler, a_flow_that_keeps_sending_becomes_bulk_and_gets_only_its_share) {
  Bench bench(5);
  for (int i = 0; i < 4; ++i) bench.scheduler.add(bench.flows[static_cast<std::size_t>(i)]);
  for (int i = 0; i < 20; ++i) bench.record();
  bench.sent.clear();
  for (int i = 0; i < 1000; ++i) {
    // Never has much queued, but always something.
    bench.scheduler.add(bench.flows[4]);
    bench.record({{4, 3'000}});
  }
  EXPECT_LE(bench.sent[4], bench.sent[0] * 11 / 10);
  EXPECT_GT(bench.sent[4], 0u);
}

TEST(Scheduler, many_interactive_flows_do_not_starve_bulk) {
  Bench bench(101);
  for (Flow& flow : bench.flows) bench.scheduler.add(flow);
  std::map<std::uint32_t, std::size_t> left;
  for (std::uint32_t i = 1; i <= 100; ++i) left[i] = 1'000;
  for (int i = 0; i < 2'000; ++i) {
    bench.record(left);
    for (Flow& flow : bench.flows) bench.scheduler.add(flow);
  }
  const std::size_t fair = 2'000 * wire::kPlaintextBytesMax / 101;
  EXPECT_GT(bench.sent[0], fair);
}

TEST(Scheduler, a_removed_flow_is_not_served_and_its_place_is_taken) {
  Bench bench(2);
  for (Flow& flow : bench.flows) bench.scheduler.add(flow);
  for (int i = 0; i < 10; ++i) bench.record();
  bench.scheduler.remove(bench.scheduler.front());
  const std::uint32_t other = bench.id(bench.scheduler.front());
  const auto order = bench.record();
  EXPECT_TRUE(std::ranges::all_of(order, [&](std::uint32_t id) { return id == other; }));
  bench.scheduler.remove(bench.scheduler.front());
  EXPECT_TRUE(bench.scheduler.empty());
}

TEST(Scheduler, adding_twice_counts_once) {
  Bench bench(1);
  bench.scheduler.add(bench.flows[0]);
  bench.scheduler.add(bench.flows[0]);
  bench.scheduler.served(10, Next::nothing);
  EXPECT_TRUE(bench.scheduler.empty());
}

}  // namespace
}  // namespace karst::stream::mux
