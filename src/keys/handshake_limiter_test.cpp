#include "keys/handshake_limiter.h"

#include <gtest/gtest.h>

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

struct Limiter : testing::Test {
  HandshakeLimiter limiter;  // 50 per second
  TimePoint now{100s};

  // How many of `tries` are granted to this address now.
  int granted(std::string_view address, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) {
      if (limiter.admit(*IpAddress::parse(address), now)) ++count;
    }
    return count;
  }
};

TEST_F(Limiter, one_network_gets_at_most_half) { EXPECT_EQ(granted("192.0.2.1", 1'000), 25); }

TEST_F(Limiter, a_flood_leaves_room_for_others) {
  EXPECT_EQ(granted("192.0.2.1", 1'000), 25);
  EXPECT_EQ(granted("198.51.100.1", 1), 1);
  EXPECT_EQ(granted("198.51.100.1", 1'000), 12);
  EXPECT_EQ(granted("203.0.113.1", 1), 1);
}

TEST_F(Limiter, in_all_there_are_never_more_than_the_limit_in_any_second) {
  std::deque<TimePoint> times;
  for (int i = 0; i < 40'000; ++i, now += 100us) {
    const IpAddress source = IpAddress::v4(
        {10, static_cast<std::uint8_t>(i % 200), static_cast<std::uint8_t>(i % 7), 1});
    if (!limiter.admit(source, now)) continue;
    times.push_back(now);
    while (times.front() + 1s <= now) times.pop_front();
    ASSERT_LE(times.size(), 50u);
  }
  EXPECT_EQ(times.size(), 50u);
}

TEST_F(Limiter, a_grant_is_given_back_after_exactly_one_second) {
  EXPECT_EQ(granted("192.0.2.1", 100), 25);
  now += 1s - 1ns;
  EXPECT_EQ(granted("192.0.2.1", 1), 0);
  EXPECT_EQ(limiter.in_use(now), 25u);
  now += 1ns;
  EXPECT_EQ(limiter.in_use(now), 0u);
  EXPECT_EQ(granted("192.0.2.1", 100), 25);
}

TEST_F(Limiter, a_prefix_is_24_bits_of_ipv4_and_48_of_ipv6) {
  struct Case {
    const char* first;
    const char* second;
    bool same;
  };
  const Case cases[] = {
      {"192.0.2.1", "192.0.2.255", true},
      {"192.0.2.1", "192.0.3.1", false},
      {"192.0.2.1", "::ffff:192.0.2.9", true},
      {"::ffff:192.0.2.1", "::ffff:192.0.3.1", false},
      {"2001:db8:1::1", "2001:db8:1:ffff:ffff:ffff:ffff:ffff", true},
      {"2001:db8:1::1", "2001:db8:2::1", false},
  };
  for (const Case& c : cases) {
    limiter = HandshakeLimiter(50);
    EXPECT_EQ(granted(c.first, 100), 25);
    EXPECT_EQ(granted(c.second, 1), c.same ? 0 : 1) << c.first << " " << c.second;
  }
}

TEST_F(Limiter, a_limit_of_one_grants_one_per_second) {
  limiter = HandshakeLimiter(1);
  EXPECT_EQ(granted("192.0.2.1", 5), 1);
  EXPECT_EQ(granted("198.51.100.1", 5), 0);
  now += 1s;
  EXPECT_EQ(granted("198.51.100.1", 5), 1);
}

}  // namespace
}  // namespace karst::keys
