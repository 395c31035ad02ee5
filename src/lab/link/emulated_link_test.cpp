#include "lab/link/emulated_link.h"

#include <gtest/gtest.h>

#include "lab/link/packets_for_test.h"

namespace karst::lab {
namespace {

using namespace std::chrono_literals;

const TimePoint kStart{1000s};

std::optional<SuperPacket> through(EmulatedLink& link, Side from, const TestPacket& packet,
                                   TimePoint now) {
  link.handle_input(from, make_packet(packet), now);
  auto out = link.poll_output(other(from), now);
  if (!out) return std::nullopt;
  return *SuperPacket::parse(std::move(*out));
}

TEST(EmulatedLink, carries_both_directions_each_with_its_own_settings) {
  LinkSettings settings;
  settings.forward.delay = 10ms;
  settings.back.delay = 25ms;
  EmulatedLink link(settings, kStart);
  link.handle_input(Side::near, make_packet({}), kStart);
  link.handle_input(Side::far, make_packet({}), kStart);
  EXPECT_EQ(link.next_deadline(), kStart + 10ms);
  EXPECT_TRUE(link.poll_output(Side::far, kStart + 10ms));
  EXPECT_FALSE(link.poll_output(Side::near, kStart + 10ms));
  EXPECT_EQ(link.next_deadline(), kStart + 25ms);
  EXPECT_TRUE(link.poll_output(Side::near, kStart + 25ms));
}

TEST(EmulatedLink, an_outage_begins_and_ends_when_it_was_to) {
  LinkSettings settings;
  settings.events = {{5s, LinkEvent::Kind::down}, {8s, LinkEvent::Kind::up}};
  EmulatedLink link(settings, kStart);
  EXPECT_EQ(link.next_deadline(), kStart + 5s);
  const auto passes = [&](Duration at) {
    link.handle_deadline(kStart + at);
    return through(link, Side::near, {}, kStart + at).has_value();
  };
  EXPECT_TRUE(passes(4999ms));
  EXPECT_FALSE(passes(5s));
  EXPECT_FALSE(passes(7999ms));
  EXPECT_TRUE(passes(8s));
  EXPECT_FALSE(link.next_deadline());
}

TEST(EmulatedLink, after_a_rebind_the_far_side_sees_another_port_and_answers_reach_the_flow) {
  LinkSettings settings;
  settings.events = {{5s, LinkEvent::Kind::rebind}};
  EmulatedLink link(settings, kStart);
  const TestPacket udp{.tcp = false, .payload = 20};
  EXPECT_EQ(through(link, Side::near, udp, kStart)->source_port(), 40'000);
  link.handle_deadline(kStart + 5s);
  // To the old mapping: nobody is there any more.
  EXPECT_FALSE(through(link, Side::far, udp, kStart + 5s));
  EXPECT_EQ(link.unmapped(), 1u);
  const auto outward = through(link, Side::near, udp, kStart + 5s);
  ASSERT_TRUE(outward);
  EXPECT_NE(outward->source_port(), 40'000);
  ByteVector answer = make_packet(udp);
  SuperPacket back = *SuperPacket::parse(answer);
  back.set_destination_port(outward->source_port());
  link.handle_input(Side::far, to_vector(back.bytes()), kStart + 5s);
  const auto inward = link.poll_output(Side::near, kStart + 5s);
  ASSERT_TRUE(inward);
  EXPECT_EQ(SuperPacket::parse(*inward)->destination_port(), 40'000);
}

TEST(EmulatedLink, the_answer_to_a_packet_that_is_too_big_goes_to_its_sender) {
  LinkSettings settings;
  settings.forward.mtu = 1200;
  EmulatedLink link(settings, kStart);
  link.handle_input(Side::near, make_packet({.payload = 1400}), kStart);
  EXPECT_FALSE(link.poll_output(Side::far, kStart));
  EXPECT_TRUE(link.poll_output(Side::near, kStart));
  EXPECT_FALSE(link.poll_output(Side::near, kStart));
}

TEST(EmulatedLink, what_is_no_packet_is_counted) {
  EmulatedLink link({}, kStart);
  link.handle_input(Side::near, ByteVector(5), kStart);
  EXPECT_EQ(link.malformed(), 1u);
}

TEST(EmulatedLink, a_restart_repeats_the_same_decisions) {
  LinkSettings settings;
  settings.forward.loss = {kCertain / 3};
  EmulatedLink link(settings, kStart);
  const auto run = [&] {
    for (int i = 0; i < 100; ++i) link.handle_input(Side::near, make_packet({}), kStart);
    return link.counters(Side::near).fates;
  };
  const std::uint64_t first = run();
  link.restart(kStart);
  EXPECT_FALSE(link.next_deadline());
  EXPECT_EQ(run(), first);
}

TEST(EmulatedLink, a_change_keeps_what_is_under_way_and_counts_anew) {
  LinkSettings settings;
  settings.forward.delay = 10ms;
  settings.forward.loss = {kCertain / 3};
  settings.events = {{1s, LinkEvent::Kind::down}};
  const auto fates_of_a_hundred = [](EmulatedLink& link, TimePoint now) {
    for (int i = 0; i < 100; ++i) link.handle_input(Side::near, make_packet({}), now);
    return link.counters(Side::near).fates;
  };
  EmulatedLink fresh(settings, kStart);
  const std::uint64_t fates = fates_of_a_hundred(fresh, kStart);

  EmulatedLink link({}, kStart);
  link.handle_input(Side::near, make_packet({}), kStart);
  settings.forward.delay = 50ms;
  link.change(settings, kStart);
  EXPECT_TRUE(link.poll_output(Side::far, kStart)) << "it was due already";
  EXPECT_EQ(link.counters(Side::near).segments, 0u);
  EXPECT_EQ(fates_of_a_hundred(link, kStart), fates);
  EXPECT_FALSE(link.poll_output(Side::far, kStart + 49ms));
  EXPECT_TRUE(link.poll_output(Side::far, kStart + 50ms));
}

TEST(EmulatedLink, a_change_counts_events_from_its_own_time_and_ends_an_outage) {
  LinkSettings settings;
  settings.events = {{1s, LinkEvent::Kind::down}};
  EmulatedLink link(settings, kStart);
  link.handle_deadline(kStart + 1s);
  EXPECT_FALSE(through(link, Side::near, {}, kStart + 1s));
  link.change(settings, kStart + 5s);
  link.handle_deadline(kStart + 5s);
  EXPECT_TRUE(through(link, Side::near, {}, kStart + 5s));
  link.handle_deadline(kStart + 6s);
  EXPECT_FALSE(through(link, Side::near, {}, kStart + 6s));
}

TEST(EmulatedLink, the_two_directions_lose_different_segments) {
  LinkSettings settings;
  settings.forward.loss = settings.back.loss = {kCertain / 4};
  EmulatedLink link(settings, kStart);
  for (int i = 0; i < 200; ++i) {
    link.handle_input(Side::near, make_packet({}), kStart);
    link.handle_input(Side::far, make_packet({}), kStart);
  }
  EXPECT_NE(link.counters(Side::near).fates, link.counters(Side::far).fates);
}

}  // namespace
}  // namespace karst::lab
