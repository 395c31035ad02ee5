#include "stream/proxy/udp_relay.h"

#include <gtest/gtest.h>

namespace karst::stream::proxy {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{99s};
const Endpoint kPeer = *Endpoint::parse("1.1.1.1:4000");
const Endpoint kDns = *Endpoint::parse("8.8.8.8:53");

Endpoint target(std::size_t number) {
  return {IpAddress::v4(
              {1, 2, static_cast<std::uint8_t>(number >> 8), static_cast<std::uint8_t>(number)}),
          7000};
}

TEST(UdpRelay, only_an_endpoint_that_was_sent_to_passes) {
  UdpRelayTable table;
  EXPECT_FALSE(table.handle_received(kPeer, kStart));
  table.handle_sent(kPeer, kStart);
  EXPECT_TRUE(table.handle_received(kPeer, kStart));
  EXPECT_FALSE(table.handle_received({kPeer.address, 4001}, kStart));
  EXPECT_FALSE(table.handle_received(*Endpoint::parse("1.1.1.2:4000"), kStart));
}

TEST(UdpRelay, an_endpoint_is_forgotten_after_5_minutes_of_silence) {
  UdpRelayTable table;
  table.handle_sent(kPeer, kStart);
  EXPECT_TRUE(table.handle_received(kPeer, kStart + 5min - 1ms));
  // That datagram counted as traffic, and so does one that is sent.
  EXPECT_TRUE(table.handle_received(kPeer, kStart + 9min));
  table.handle_sent(kPeer, kStart + 13min);
  EXPECT_TRUE(table.handle_received(kPeer, kStart + 18min - 1ms));
  EXPECT_FALSE(table.handle_received(kPeer, kStart + 23min - 1ms));
  EXPECT_EQ(table.size(), 0u);
}

TEST(UdpRelay, dns_is_forgotten_10_seconds_after_its_first_answer) {
  UdpRelayTable table;
  table.handle_sent(kDns, kStart);
  EXPECT_TRUE(table.handle_received(kDns, kStart + 60s));
  EXPECT_TRUE(table.handle_received(kDns, kStart + 70s - 1ms));
  EXPECT_FALSE(table.handle_received(kDns, kStart + 70s));
  // Another question makes it wait as long as any.
  table.handle_sent(kDns, kStart + 80s);
  EXPECT_TRUE(table.handle_received(kDns, kStart + 200s));
}

TEST(UdpRelay, beyond_its_bound_the_endpoint_silent_longest_is_forgotten) {
  UdpRelayTable table;
  for (std::size_t i = 0; i < kUdpTargetsMax; ++i) table.handle_sent(target(i), kStart);
  EXPECT_EQ(table.size(), kUdpTargetsMax);
  EXPECT_TRUE(table.handle_received(target(0), kStart + 1s));

  table.handle_sent(target(kUdpTargetsMax), kStart + 2s);
  EXPECT_EQ(table.size(), kUdpTargetsMax);
  EXPECT_FALSE(table.handle_received(target(1), kStart + 2s));
  EXPECT_TRUE(table.handle_received(target(0), kStart + 2s));
  EXPECT_TRUE(table.handle_received(target(2), kStart + 2s));

  table.handle_sent(target(3), kStart + 3s);
  table.handle_sent(target(kUdpTargetsMax + 1), kStart + 3s);
  EXPECT_TRUE(table.handle_received(target(3), kStart + 3s));
  EXPECT_FALSE(table.handle_received(target(4), kStart + 3s));
}

TEST(UdpRelay, expired_endpoints_leave_no_memory_behind) {
  UdpRelayTable table;
  for (std::size_t i = 0; i < 100; ++i) table.handle_sent(target(i), kStart);
  table.handle_sent(kPeer, kStart + 5min);
  EXPECT_EQ(table.size(), 1u);
}

}  // namespace
}  // namespace karst::stream::proxy
