#include <gtest/gtest.h>

#include "keys/ratchet_pair_for_test.h"

// Links that can seal nothing for a while, or never again: the carrier took records too late, or
// the peer does not answer.

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

struct Ends {
  Ends(EpochPolicy of_client, EpochPolicy of_server)
      : pair(RatchetPair::parameters(of_client, 1), RatchetPair::parameters(of_server, 1),
             DepthMode::fixed, now) {}

  void deliver(LinkRatchet& from, LinkRatchet& to, RecordClass kind) {
    const SealSlot slot = from.send_epochs().begin_record(kind, 1, now);
    ByteVector text(1);
    std::array<std::uint8_t, 16> tag{};
    from.send_epochs().seal({}, text, tag);
    ASSERT_TRUE(to.stream_receive().open(slot.epoch, slot.sequence, {}, text, tag, now).ok());
    ASSERT_TRUE(to.stream_receive().count(kind, 1, now).ok());
  }
  // The next message of one end, in a record of its own, whether or not the other end gets it.
  ByteVector take(LinkRatchet& from, LinkRatchet* to) {
    const auto message = from.next_control(now);
    if (!message.ok() || !message->has_value()) return {};
    ByteVector body = to_vector((*message)->body);
    if (to != nullptr) {
      deliver(from, *to, RecordClass::uncounted);
    } else {
      from.send_epochs().begin_record(RecordClass::uncounted, 1, now);
    }
    return body;
  }
  LinkRatchet& client() { return pair.client; }
  LinkRatchet& server() { return pair.server; }

  TimePoint now{1000s};
  RatchetPair pair;
};

TEST(RatchetDeadEnd, a_link_that_lost_its_key_before_it_could_offer_ends_with_a_name) {
  for (const bool by_timer : {true, false}) {
    Ends ends(kExtreme, kExtreme);
    ends.client().send_epochs().begin_record(RecordClass::counted, 100, ends.now);
    ends.now += 120s;
    if (by_timer) {
      const auto handled = ends.client().handle_deadline(ends.now);
      ASSERT_FALSE(handled.ok());
      EXPECT_TRUE(handled.error().is(kNoEpochLeft));
    } else {
      EXPECT_FALSE(ends.client().can_seal_counted(1, ends.now));
    }
    const auto next = ends.client().next_control(ends.now);
    ASSERT_FALSE(next.ok());
    EXPECT_TRUE(next.error().is(kNoEpochLeft));
    EXPECT_FALSE(ends.client().next_deadline().has_value());
  }
}

TEST(RatchetDeadEnd, a_link_that_has_an_offer_on_its_way_only_waits) {
  Ends ends({262'144, 1, 500}, kExtreme);
  ends.deliver(ends.client(), ends.server(), RecordClass::counted);
  const ByteVector offer = ends.take(ends.client(), &ends.server());
  while (ends.client().can_seal_uncounted(ends.now)) {
    ends.client().send_epochs().begin_record(RecordClass::uncounted, 1, ends.now);
  }
  const auto next = ends.client().next_control(ends.now);
  ASSERT_TRUE(next.ok());
  EXPECT_FALSE(next->has_value());
  EXPECT_TRUE(ends.client().handle_deadline(ends.now).ok());
  ASSERT_TRUE(ends.server().handle_offer(offer, ends.now).ok());
  const ByteVector ack = ends.take(ends.server(), nullptr);
  ASSERT_TRUE(ends.client().handle_ack(ack, ends.now).ok());
  EXPECT_TRUE(ends.client().can_seal_uncounted(ends.now));
}

TEST(RatchetDeadEnd, after_an_error_only_the_key_of_a_closing_message_is_left_until_its_age) {
  RatchetPair pair(RatchetPair::parameters(kExtreme, 8), DepthMode::fixed, TimePoint{1000s});
  const TimePoint now{1000s};
  const auto next = [now](LinkRatchet& end) {
    end.send_epochs().begin_record(RecordClass::counted, 1, now);
    const auto message = end.next_control(now);
    return message.ok() && *message ? to_vector((*message)->body) : ByteVector();
  };
  // Both ends answer one offer of the other; more are in flight.
  for (LinkRatchet* from : {&pair.client, &pair.server}) {
    LinkRatchet& to = from == &pair.client ? pair.server : pair.client;
    ASSERT_TRUE(to.handle_offer(next(*from), now).ok());
    ASSERT_TRUE(from->handle_ack(next(to), now).ok());
    ASSERT_FALSE(next(*from).empty());
  }
  const RatchetCounters before = pair.client.counters(now);
  ASSERT_GT(before.depth_offered, 0u);
  ASSERT_GT(before.depth_prepared, 0u);
  ASSERT_GT(before.receive_prepared, 0u);

  ASSERT_FALSE(pair.client.handle_ack(ByteVector(3), now).ok());
  const RatchetCounters after = pair.client.counters(now);
  EXPECT_EQ(after.depth_offered, 0u);
  EXPECT_EQ(after.depth_prepared, 0u);
  EXPECT_EQ(after.receive_prepared, 0u);
  EXPECT_FALSE(pair.client.can_seal_counted(1, now));
  EXPECT_TRUE(pair.client.can_seal_uncounted(now));
  const auto age = pair.client.next_deadline();
  ASSERT_EQ(age, now + max_epoch_age(kExtreme));
  EXPECT_FALSE(pair.client.handle_deadline(*age).ok());
  EXPECT_FALSE(pair.client.can_seal_uncounted(*age));
  EXPECT_FALSE(pair.client.next_deadline().has_value());
}

// The offer of the peer waits for credit, and its answer for a key: the first must not keep the
// timer running.
TEST(RatchetDeadEnd, credit_that_comes_while_nothing_can_be_sealed_is_no_deadline_twice) {
  Ends ends({262'144, 1, 500}, kExtreme);
  ends.deliver(ends.client(), ends.server(), RecordClass::counted);
  const ByteVector first = ends.take(ends.client(), &ends.server());
  ASSERT_TRUE(ends.server().handle_offer(first, ends.now).ok());
  const ByteVector ack = ends.take(ends.server(), &ends.client());
  ASSERT_FALSE(ends.take(ends.server(), nullptr).empty()) << "the server's own offer";
  ASSERT_TRUE(ends.client().handle_ack(ack, ends.now).ok());
  ends.deliver(ends.client(), ends.server(), RecordClass::counted);
  const ByteVector second = ends.take(ends.client(), &ends.server());
  ASSERT_TRUE(ends.server().handle_offer(second, ends.now).ok());
  ASSERT_FALSE(ends.server().has_control(ends.now)) << "no credit";
  while (ends.server().can_seal_uncounted(ends.now)) {
    ends.server().send_epochs().begin_record(RecordClass::uncounted, 1, ends.now);
  }
  const auto credit = ends.server().next_deadline();
  ASSERT_TRUE(credit.has_value());
  ASSERT_LE(*credit, ends.now + 250ms);
  ASSERT_TRUE(ends.server().handle_deadline(*credit).ok());
  const auto after = ends.server().next_deadline();
  ASSERT_TRUE(after.has_value()) << "the server's own offer has a deadline";
  EXPECT_EQ(*after, ends.now + 5s);
}

TEST(RatchetDeadEnd, an_ack_is_too_late_at_its_deadline_although_no_timer_has_run) {
  for (const Duration early : {Duration(1ns), Duration(0ns)}) {
    Ends ends(kExtreme, kExtreme);
    ends.deliver(ends.client(), ends.server(), RecordClass::counted);
    const ByteVector offer = ends.take(ends.client(), &ends.server());
    ASSERT_TRUE(ends.server().handle_offer(offer, ends.now).ok());
    const ByteVector ack = ends.take(ends.server(), &ends.client());
    const TimePoint arrival = ends.now + 5s - early;
    const auto handled = ends.client().handle_ack(ack, arrival);
    EXPECT_EQ(handled.ok(), early > 0ns);
    if (!handled.ok()) {
      EXPECT_TRUE(handled.error().is(kAckDeadline));
    }
    EXPECT_EQ(ends.client().counters(arrival).deadline_expiries, early > 0ns ? 0u : 1u);
  }
}

TEST(RatchetDeadEnd, a_smaller_record_that_fits_ends_blocked_time) {
  Ends ends(kExtreme, kExtreme);
  ends.client().send_epochs().begin_record(RecordClass::counted, 262'044, ends.now);
  ASSERT_FALSE(ends.client().can_seal_counted(101, ends.now));
  ASSERT_TRUE(ends.client().blocked());
  EXPECT_TRUE(ends.client().can_seal_counted(100, ends.now));
  EXPECT_FALSE(ends.client().blocked());
}

}  // namespace
}  // namespace karst::keys
