#include "stream/proxy/happy_eyeballs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/prng.h"

namespace karst::stream::proxy {
namespace {

using namespace std::chrono_literals;
using enum OpenResult;

// A race on a clock that the test moves; what it does is written down as text.
class Race {
 public:
  explicit Race(std::vector<EgressRule> rules = {}, const HappyEyeballsConfig& config = {})
      : policy_(std::move(rules), {}), race_(config, 443, kStart) {}

  void at(std::chrono::milliseconds since_start) { now_ = kStart + since_start; }
  std::string answer(IpFamily family, std::initializer_list<const char*> texts,
                     OpenResult if_none = name_not_found) {
    std::vector<IpAddress> addresses;
    for (const char* text : texts) addresses.push_back(*IpAddress::parse(text));
    race_.handle_answer(family, addresses, if_none, policy_, now_);
    return actions();
  }
  std::string literal(const char* text) {
    race_.handle_literal(*IpAddress::parse(text), policy_, now_);
    return actions();
  }
  std::string outcome(HappyEyeballs::AttemptId id, OpenResult result) {
    race_.handle_attempt(id, result, now_);
    return actions();
  }
  // Milliseconds from the start to the next deadline, or -1.
  std::int64_t deadline() const {
    const auto next = race_.next_deadline();
    return next ? to_milliseconds(*next - kStart) : -1;
  }
  std::string tick(std::chrono::milliseconds since_start) {
    at(since_start);
    race_.handle_deadline(now_);
    return actions();
  }
  std::string actions() {
    std::string out;
    while (const auto action = race_.poll_action()) {
      if (!out.empty()) out += ", ";
      if (const auto* start = std::get_if<HappyEyeballs::Start>(&*action)) {
        out += "start " + std::to_string(start->id) + " " + start->to.text();
      } else if (const auto* cancel = std::get_if<HappyEyeballs::Cancel>(&*action)) {
        out += "cancel " + std::to_string(cancel->id);
      } else if (const auto* done = std::get_if<HappyEyeballs::Connected>(&*action)) {
        out += "connected " + std::to_string(done->id) + " " + done->to.text();
      } else {
        const OpenResult reason = std::get<HappyEyeballs::Failed>(*action).reason;
        out += "failed " + std::to_string(static_cast<int>(reason));
      }
    }
    return out;
  }

 private:
  static constexpr TimePoint kStart{1234s};
  TimePoint now_ = kStart;
  EgressPolicy policy_;
  HappyEyeballs race_;
};

std::string failed(OpenResult reason) {
  return "failed " + std::to_string(static_cast<int>(reason));
}

TEST(HappyEyeballs, an_aaaa_answer_starts_at_once) {
  Race race;
  EXPECT_EQ(race.answer(IpFamily::v6, {"2600::1"}), "start 0 [2600::1]:443");
  EXPECT_EQ(race.outcome(0, ok), "connected 0 [2600::1]:443");
  EXPECT_EQ(race.deadline(), -1);
}

TEST(HappyEyeballs, an_a_answer_waits_50_ms_for_the_aaaa_answer) {
  Race race;
  race.at(10ms);
  EXPECT_EQ(race.answer(IpFamily::v4, {"1.1.1.1"}), "");
  EXPECT_EQ(race.deadline(), 60);
  EXPECT_EQ(race.tick(59ms), "");
  EXPECT_EQ(race.tick(60ms), "start 0 1.1.1.1:443");
  // The AAAA answer that comes late is next in turn.
  race.at(100ms);
  EXPECT_EQ(race.answer(IpFamily::v6, {"2600::1"}), "");
  EXPECT_EQ(race.deadline(), 310);
  EXPECT_EQ(race.tick(310ms), "start 1 [2600::1]:443");
}

TEST(HappyEyeballs, an_aaaa_answer_within_the_wait_goes_first) {
  Race race;
  race.answer(IpFamily::v4, {"1.1.1.1"});
  race.at(49ms);
  EXPECT_EQ(race.answer(IpFamily::v6, {"2600::1"}), "start 0 [2600::1]:443");
  EXPECT_EQ(race.deadline(), 299);
}

TEST(HappyEyeballs, an_empty_aaaa_answer_ends_the_wait) {
  Race after;
  after.answer(IpFamily::v4, {"1.1.1.1"});
  EXPECT_EQ(after.answer(IpFamily::v6, {}), "start 0 1.1.1.1:443");
  Race before;
  EXPECT_EQ(before.answer(IpFamily::v6, {}), "");
  EXPECT_EQ(before.answer(IpFamily::v4, {"1.1.1.1"}), "start 0 1.1.1.1:443");
}

TEST(HappyEyeballs, the_families_take_turns_every_250_ms) {
  Race race;
  EXPECT_EQ(race.answer(IpFamily::v6, {"2600::1", "2600::2", "2600::3"}), "start 0 [2600::1]:443");
  EXPECT_EQ(race.answer(IpFamily::v4, {"1.1.1.1", "1.1.1.2"}), "");
  EXPECT_EQ(race.tick(249ms), "");
  EXPECT_EQ(race.tick(250ms), "start 1 1.1.1.1:443");
  EXPECT_EQ(race.tick(500ms), "start 2 [2600::2]:443");
  EXPECT_EQ(race.tick(750ms), "start 3 1.1.1.2:443");
  EXPECT_EQ(race.tick(1000ms), "start 4 [2600::3]:443");
  EXPECT_EQ(race.deadline(), 15000);
  EXPECT_EQ(race.outcome(3, ok), "cancel 0, cancel 1, cancel 2, cancel 4, connected 3 1.1.1.2:443");
  EXPECT_EQ(race.outcome(0, ok), "");
  EXPECT_EQ(race.tick(20000ms), "");
}

TEST(HappyEyeballs, a_failure_of_the_latest_attempt_starts_the_next_at_once) {
  Race race;
  race.answer(IpFamily::v6, {"2600::1"});
  race.answer(IpFamily::v4, {"1.1.1.1", "1.1.1.2"});
  race.at(10ms);
  EXPECT_EQ(race.outcome(0, network_unreachable), "start 1 1.1.1.1:443");
  EXPECT_EQ(race.deadline(), 260);
  EXPECT_EQ(race.tick(260ms), "start 2 1.1.1.2:443");
}

TEST(HappyEyeballs, a_failure_of_the_latest_does_not_wait_for_an_earlier_one) {
  Race race;
  race.answer(IpFamily::v6, {"2600::1", "2600::2"});
  race.answer(IpFamily::v4, {"1.1.1.1"});
  EXPECT_EQ(race.tick(250ms), "start 1 1.1.1.1:443");
  race.at(260ms);
  EXPECT_EQ(race.outcome(1, refused), "start 2 [2600::2]:443");
}

TEST(HappyEyeballs, a_failure_of_an_earlier_attempt_leaves_the_latest_its_time) {
  Race race;
  race.answer(IpFamily::v6, {"2600::1", "2600::2"});
  race.answer(IpFamily::v4, {"1.1.1.1"});
  EXPECT_EQ(race.tick(250ms), "start 1 1.1.1.1:443");
  race.at(260ms);
  EXPECT_EQ(race.outcome(0, refused), "");
  EXPECT_EQ(race.tick(500ms), "start 2 [2600::2]:443");
}

TEST(HappyEyeballs, an_address_that_comes_after_all_have_failed_starts_at_once) {
  Race race;
  race.answer(IpFamily::v6, {"2600::1"});
  EXPECT_EQ(race.outcome(0, refused), "");
  race.at(5ms);
  EXPECT_EQ(race.answer(IpFamily::v4, {"1.1.1.1"}), "start 1 1.1.1.1:443");
  EXPECT_EQ(race.outcome(1, refused), failed(refused));
}

TEST(HappyEyeballs, a_literal_starts_at_once_in_either_family) {
  Race four;
  EXPECT_EQ(four.literal("1.1.1.1"), "start 0 1.1.1.1:443");
  EXPECT_EQ(four.outcome(0, host_unreachable), failed(host_unreachable));
  Race six;
  EXPECT_EQ(six.literal("2600::1"), "start 0 [2600::1]:443");
  Race closed;
  EXPECT_EQ(closed.literal("127.0.0.1"), failed(forbidden));
}

TEST(HappyEyeballs, refused_addresses_are_dropped_and_nothing_else_left_is_forbidden) {
  Race some;
  EXPECT_EQ(some.answer(IpFamily::v6, {"::1", "2600::1"}), "start 0 [2600::1]:443");
  EXPECT_EQ(some.answer(IpFamily::v4, {"10.0.0.1"}), "");
  EXPECT_EQ(some.outcome(0, network_unreachable), failed(forbidden));

  Race all;
  EXPECT_EQ(all.answer(IpFamily::v6, {"::1"}), "");
  EXPECT_EQ(all.answer(IpFamily::v4, {"127.0.0.1", "10.0.0.1"}), failed(forbidden));

  Race ports({*EgressRule::parse(EgressRule::Action::deny, "1.1.1.1 443")});
  ports.answer(IpFamily::v6, {});
  EXPECT_EQ(ports.answer(IpFamily::v4, {"1.1.1.1"}), failed(forbidden));
}

TEST(HappyEyeballs, no_addresses_fail_for_the_resolvers_reason) {
  const struct {
    OpenResult v6, v4, is;
  } cases[] = {
      {name_not_found, name_not_found, name_not_found},
      {name_not_found, timed_out, timed_out},
      {internal, name_not_found, internal},
  };
  for (const auto& c : cases) {
    Race race;
    EXPECT_EQ(race.answer(IpFamily::v6, {}, c.v6), "");
    EXPECT_EQ(race.answer(IpFamily::v4, {}, c.v4), failed(c.is));
  }
}

TEST(HappyEyeballs, of_two_failures_the_one_that_says_more_is_reported) {
  const OpenResult falling[] = {refused, timed_out, host_unreachable,    forbidden,
                                limit,   internal,  network_unreachable, name_not_found};
  for (std::size_t more = 0; more < std::size(falling); ++more) {
    for (std::size_t less = more; less < std::size(falling); ++less) {
      for (const bool more_first : {true, false}) {
        Race race;
        race.answer(IpFamily::v6, {"2600::1"});
        race.answer(IpFamily::v4, {"1.1.1.1"});
        race.outcome(0, falling[more_first ? more : less]);
        EXPECT_EQ(race.outcome(1, falling[more_first ? less : more]), failed(falling[more]));
      }
    }
  }
}

TEST(HappyEyeballs, the_whole_race_ends_after_15_seconds) {
  Race unanswered;
  EXPECT_EQ(unanswered.deadline(), 15000);
  EXPECT_EQ(unanswered.tick(14999ms), "");
  EXPECT_EQ(unanswered.tick(15000ms), failed(timed_out));
  EXPECT_EQ(unanswered.answer(IpFamily::v6, {"2600::1"}), "");

  Race pending;
  pending.literal("1.1.1.1");
  EXPECT_EQ(pending.tick(15000ms), "cancel 0, " + failed(timed_out));
  EXPECT_EQ(pending.outcome(0, ok), "");

  Race partly;
  partly.answer(IpFamily::v6, {"2600::1"});
  partly.outcome(0, refused);
  EXPECT_EQ(partly.tick(15000ms), failed(refused));
}

TEST(HappyEyeballs, of_one_family_at_most_8_addresses_are_tried_and_none_twice) {
  for (const std::size_t count : {7u, 8u, 9u}) {
    HappyEyeballs race({}, 443, TimePoint(5s));
    std::vector<IpAddress> addresses;
    for (std::size_t i = 0; i < count; ++i) {
      const auto address = IpAddress::v4({1, 1, 1, static_cast<std::uint8_t>(i)});
      addresses.insert(addresses.end(), 2, address);
    }
    race.handle_answer(IpFamily::v6, addresses, name_not_found, {}, TimePoint(5s));
    race.handle_answer(IpFamily::v4, addresses, name_not_found, {}, TimePoint(5s));
    HappyEyeballs::AttemptId attempts = 0;
    bool over = false;
    while (const auto action = race.poll_action()) {
      over = std::holds_alternative<HappyEyeballs::Failed>(*action);
      if (!over) race.handle_attempt(attempts++, refused, TimePoint(5s));
    }
    EXPECT_TRUE(over);
    EXPECT_EQ(attempts, std::min<std::size_t>(count, 8));
  }
}

// Random answers, outcomes and clocks: the race ends exactly once, every start is cancelled,
// reported or the winner, and a deadline that has passed never stays.
TEST(HappyEyeballs, ends_exactly_once_whatever_happens) {
  Prng prng(7);
  for (int round = 0; round < 3000; ++round) {
    TimePoint now(100s);
    HappyEyeballs race({}, 443, now);
    std::vector<bool> pending;
    int ends = 0;
    for (int step = 0; step < 200; ++step) {
      while (const auto action = race.poll_action()) {
        ASSERT_EQ(ends, 0);
        if (const auto* start = std::get_if<HappyEyeballs::Start>(&*action)) {
          ASSERT_EQ(start->id, pending.size());
          pending.push_back(true);
        } else if (const auto* cancel = std::get_if<HappyEyeballs::Cancel>(&*action)) {
          ASSERT_TRUE(pending.at(cancel->id));
          pending[cancel->id] = false;
        } else {
          ++ends;
          ASSERT_EQ(std::ranges::count(pending, true), 0);
        }
      }
      if (ends == 1) {
        ASSERT_FALSE(race.next_deadline());
      } else {
        ASSERT_GT(*race.next_deadline(), now);
      }
      switch (prng.below(4)) {
        case 0: {
          const auto family = prng.chance(1, 2) ? IpFamily::v4 : IpFamily::v6;
          std::vector<IpAddress> addresses;
          for (auto left = prng.below(4); left-- > 0;) {
            const auto byte = static_cast<std::uint8_t>(prng.below(5));
            const auto first = static_cast<std::uint8_t>(prng.chance(1, 4) ? 10 : 1);
            addresses.push_back(family == IpFamily::v4 ? IpAddress::v4({first, 1, 1, byte})
                                                       : IpAddress::v6({0x26, byte}));
          }
          race.handle_answer(family, addresses, name_not_found, {}, now);
          break;
        }
        case 1:
          if (!pending.empty()) {
            const auto id = static_cast<HappyEyeballs::AttemptId>(prng.below(pending.size()));
            if (ends == 0) pending[id] = false;
            race.handle_attempt(id, prng.chance(1, 8) ? ok : refused, now);
          }
          break;
        default:
          now += std::chrono::milliseconds(prng.below(400));
          race.handle_deadline(now);
      }
    }
    ASSERT_EQ(ends, 1);
  }
}

TEST(HappyEyeballs, an_attempt_that_waits_is_joined_by_another_and_given_up_later) {
  Race race({}, {.again = 1500ms});
  EXPECT_EQ(race.literal("1.1.1.1"), "start 0 1.1.1.1:443");
  EXPECT_EQ(race.deadline(), 1500);
  EXPECT_EQ(race.tick(1499ms), "");
  EXPECT_EQ(race.tick(1500ms), "start 1 1.1.1.1:443");
  EXPECT_EQ(race.deadline(), 3000);
  EXPECT_EQ(race.tick(3000ms), "start 2 1.1.1.1:443");
  EXPECT_EQ(race.deadline(), 4500);
  EXPECT_EQ(race.tick(4500ms), "cancel 1, start 3 1.1.1.1:443");
  // An older one may still win.
  race.at(4600ms);
  EXPECT_EQ(race.outcome(2, ok), "cancel 0, cancel 3, connected 2 1.1.1.1:443");
}

TEST(HappyEyeballs, an_answer_to_the_first_attempt_may_take_as_long_as_the_whole_race) {
  Race race({}, {.again = 1500ms});
  race.literal("1.1.1.1");
  while (race.deadline() < 14'900) {
    const std::string said = race.tick(std::chrono::milliseconds(race.deadline()));
    EXPECT_FALSE(said.contains("cancel 0")) << said;
  }
  race.at(14'900ms);
  EXPECT_TRUE(race.outcome(0, ok).ends_with("connected 0 1.1.1.1:443"));
}

TEST(HappyEyeballs, of_each_address_the_oldest_attempt_that_has_not_failed_stays) {
  Race race({}, {.again = 1500ms});
  race.answer(IpFamily::v6, {});
  EXPECT_EQ(race.answer(IpFamily::v4, {"1.1.1.1", "1.1.1.2"}), "start 0 1.1.1.1:443");
  EXPECT_EQ(race.tick(250ms), "start 1 1.1.1.2:443");
  EXPECT_EQ(race.tick(1500ms), "start 2 1.1.1.1:443");
  EXPECT_EQ(race.tick(1750ms), "start 3 1.1.1.2:443");
  race.at(2000ms);
  EXPECT_EQ(race.outcome(0, host_unreachable), "");
  EXPECT_EQ(race.tick(3000ms), "start 4 1.1.1.1:443");
  EXPECT_EQ(race.tick(3250ms), "start 5 1.1.1.2:443");
  EXPECT_EQ(race.tick(4500ms), "start 6 1.1.1.1:443") << "2 stays";
  EXPECT_EQ(race.tick(4750ms), "cancel 3, start 7 1.1.1.2:443") << "1 is older";
}

TEST(HappyEyeballs, giving_an_attempt_up_for_a_fresh_one_is_no_reason) {
  Race race({}, {.again = 1500ms});
  race.literal("1.1.1.1");
  for (const auto at : {1500ms, 3000ms, 4500ms}) race.tick(at);
  race.outcome(0, host_unreachable);
  race.outcome(2, host_unreachable);
  EXPECT_EQ(race.outcome(3, host_unreachable), failed(host_unreachable));
}

TEST(HappyEyeballs, trying_again_goes_on_until_the_time_is_over) {
  Race race({}, {.again = 1500ms});
  std::string last = race.literal("1.1.1.1");
  int started = 0;
  while (race.deadline() >= 0) {
    if (last.find("start") != std::string::npos) ++started;
    last = race.tick(std::chrono::milliseconds(race.deadline()));
  }
  EXPECT_EQ(race.deadline(), -1);
  EXPECT_EQ(started, 10);
  EXPECT_TRUE(last.ends_with(failed(timed_out))) << last;
}

TEST(HappyEyeballs, an_address_that_refuses_is_not_tried_again) {
  Race race({}, {.again = 1500ms});
  race.literal("1.1.1.1");
  race.at(100ms);
  EXPECT_EQ(race.outcome(0, refused), failed(refused));
}

}  // namespace
}  // namespace karst::stream::proxy
