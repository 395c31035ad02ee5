#include "keys/ratchet.h"

#include <gtest/gtest.h>

#include <vector>

#include "keys/ratchet_pair_for_test.h"

namespace karst::keys {
namespace {

using namespace std::chrono_literals;

constexpr auto kOffer = ControlMessage::Kind::offer;
constexpr auto kAck = ControlMessage::Kind::ack;

struct Message {
  ControlMessage::Kind kind;
  ByteVector body;
};

// A link whose records travel at once and whose OFFERs and ACKs travel when the test says so.
struct Link {
  explicit Link(std::uint16_t window = 8, DepthMode depth = DepthMode::fixed,
                EpochPolicy policy = kExtreme)
      : Link(window, depth, policy, policy) {}
  Link(std::uint16_t window, DepthMode depth, EpochPolicy of_client, EpochPolicy of_server)
      : pair(RatchetPair::parameters(of_client, window), RatchetPair::parameters(of_server, window),
             depth, now) {}

  LinkRatchet& client() { return pair.client; }
  LinkRatchet& server() { return pair.server; }

  // One record from one end to the other; its epoch.
  std::uint64_t record(LinkRatchet& from, LinkRatchet& to, RecordClass kind,
                       std::size_t bytes = 100) {
    const SealSlot slot = from.send_epochs().begin_record(kind, bytes, now);
    ByteVector text(bytes);
    std::array<std::uint8_t, 16> tag{};
    from.send_epochs().seal({}, text, tag);
    auto& receive = to.stream_receive();
    EXPECT_TRUE(receive.open(slot.epoch, slot.sequence, {}, text, tag, now).ok());
    EXPECT_TRUE(receive.count(kind, bytes, now).ok());
    return slot.epoch;
  }
  std::uint64_t data(std::size_t bytes = 100) {
    EXPECT_TRUE(client().can_seal_counted(bytes, now));
    return record(client(), server(), RecordClass::counted, bytes);
  }
  // The next message of one end, in a record of its own.
  std::optional<Message> take(LinkRatchet& from) {
    const auto message = from.next_control(now);
    EXPECT_TRUE(message.ok());
    if (!message.ok() || !message->has_value()) return std::nullopt;
    Message out{(*message)->kind, to_vector((*message)->body)};
    record(from, &from == &client() ? server() : client(), RecordClass::uncounted, 1616);
    return out;
  }
  Result<void> give(LinkRatchet& to, const Message& message) {
    return message.kind == kOffer ? to.handle_offer(message.body, now)
                                  : to.handle_ack(message.body, now);
  }
  // Lets both ends exchange until neither has anything to say.
  void settle() {
    for (bool again = true; again;) {
      again = false;
      for (LinkRatchet* from : {&client(), &server()}) {
        while (const auto message = take(*from)) {
          EXPECT_TRUE(give(from == &client() ? server() : client(), *message).ok());
          again = true;
        }
      }
    }
  }
  // Data until the client has made that many OFFERs.
  std::vector<Message> offers(std::size_t count) {
    std::vector<Message> out;
    while (out.size() < count) {
      data(1);
      if (auto message = take(client())) out.push_back(*message);
    }
    return out;
  }
  // The server's ACKs to these.
  std::vector<Message> acks(const std::vector<Message>& offers) {
    std::vector<Message> out;
    for (const Message& offer : offers) EXPECT_TRUE(give(server(), offer).ok());
    while (auto message = take(server())) {
      if (message->kind == kAck) out.push_back(*message);
    }
    return out;
  }

  TimePoint now{1000s};
  RatchetPair pair;
};

std::uint64_t epoch_of(const Message& message) { return wire::parse_offer(message.body)->epoch; }

TEST(LinkRatchet, both_ends_stay_on_the_same_keys_over_many_epochs) {
  Link link(8, DepthMode::automatic);
  std::uint64_t epoch = 0;
  for (int i = 0; i < 20'000; ++i) {
    epoch = link.data(1000);
    link.settle();
  }
  EXPECT_EQ(epoch, 20'000u / 262 - (20'000 % 262 == 0));
}

TEST(LinkRatchet, offers_are_contiguous_and_do_not_wait_for_acks) {
  Link link(8);
  const auto offers = link.offers(8);
  for (std::size_t i = 0; i < offers.size(); ++i) EXPECT_EQ(epoch_of(offers[i]), i + 1);
  EXPECT_EQ(link.client().counters(link.now).depth_offered, 8u);
  EXPECT_EQ(link.client().counters(link.now).depth_prepared, 0u);
}

TEST(LinkRatchet, offers_stop_at_the_window_and_go_on_when_an_epoch_is_entered) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 8}) {
    Link link(window);
    link.acks({});
    for (const Message& ack : link.acks(link.offers(window))) {
      ASSERT_TRUE(link.give(link.client(), ack).ok());
    }
    link.data(1);
    EXPECT_FALSE(link.take(link.client()).has_value()) << "depth is the window already";
    EXPECT_EQ(link.data(262'144), 1u);
    const auto offer = link.take(link.client());
    ASSERT_TRUE(offer.has_value());
    EXPECT_EQ(epoch_of(*offer), window + 1u);
  }
}

TEST(LinkRatchet, an_ack_prepares_an_epoch_and_does_not_enter_it) {
  Link link;
  for (const Message& ack : link.acks(link.offers(2))) {
    ASSERT_TRUE(link.give(link.client(), ack).ok());
  }
  const auto counters = link.client().counters(link.now);
  EXPECT_EQ(counters.send_epoch, 0u);
  EXPECT_EQ(counters.depth_prepared, 2u);
  EXPECT_EQ(link.data(), 0u);
}

TEST(LinkRatchet, an_offer_that_breaks_the_order_is_fatal) {
  struct Case {
    const char* what;
    std::vector<std::size_t> order;
  };
  for (const Case& c : {Case{"gap", {1}}, Case{"gap later", {0, 2}}, Case{"duplicate", {0, 0}},
                        Case{"reordering", {1, 0}}}) {
    Link link;
    const auto offers = link.offers(3);
    for (std::size_t i = 0; i + 1 < c.order.size(); ++i) {
      if (!link.give(link.server(), offers[c.order[i]]).ok()) break;
    }
    const auto last = link.give(link.server(), offers[c.order.back()]);
    ASSERT_FALSE(last.ok()) << c.what;
    EXPECT_TRUE(last.error().is(kOfferOutOfOrder)) << c.what;
  }
}

TEST(LinkRatchet, an_offer_beyond_the_window_is_fatal) {
  Link sender(9), receiver(8);
  const auto offers = sender.offers(9);
  for (std::size_t i = 0; i < 8; ++i) ASSERT_TRUE(receiver.give(receiver.server(), offers[i]).ok());
  EXPECT_TRUE(receiver.give(receiver.server(), offers[8]).error().is(kOfferBeyondWindow));
}

// An epoch that was answered but not entered does not move the window: no more than the window is
// ever held beyond the epoch in use.
TEST(LinkRatchet, an_answered_offer_does_not_make_room_for_one_beyond_the_window) {
  Link sender(9), receiver(8);
  auto offers = sender.offers(9);
  const Message beyond = offers.back();
  offers.pop_back();
  ASSERT_EQ(receiver.acks(offers).size(), 8u);
  EXPECT_TRUE(receiver.give(receiver.server(), beyond).error().is(kOfferBeyondWindow));
}

TEST(LinkRatchet, an_ack_that_was_not_asked_for_or_breaks_the_order_is_fatal) {
  struct Case {
    const char* what;
    std::size_t offers;
    std::vector<std::size_t> order;
    const ErrorKind* error;
  };
  for (const Case& c :
       {Case{"unsolicited", 0, {0}, &kAckUnsolicited}, Case{"reordering", 3, {1}, &kAckOutOfOrder},
        Case{"gap", 3, {0, 2}, &kAckOutOfOrder}, Case{"duplicate", 3, {0, 0}, &kAckOutOfOrder},
        Case{"duplicate of the last", 1, {0, 0}, &kAckUnsolicited}}) {
    Link link, other;
    const auto acks = other.acks(other.offers(3));
    link.offers(c.offers);
    for (std::size_t i = 0; i + 1 < c.order.size(); ++i) {
      ASSERT_TRUE(link.give(link.client(), acks[c.order[i]]).ok()) << c.what;
    }
    const auto last = link.give(link.client(), acks[c.order.back()]);
    ASSERT_FALSE(last.ok()) << c.what;
    EXPECT_TRUE(last.error().is(*c.error)) << c.what;
  }
}

TEST(LinkRatchet, after_a_fatal_error_there_is_only_a_closing_record) {
  Link link;
  const auto offers = link.offers(2);
  ASSERT_TRUE(link.give(link.server(), offers[0]).ok());
  ASSERT_FALSE(link.give(link.server(), offers[0]).ok());
  EXPECT_TRUE(link.server().handle_offer(offers[1].body, link.now).error().is(kOfferOutOfOrder));
  EXPECT_TRUE(link.server().next_control(link.now).error().is(kOfferOutOfOrder));
  EXPECT_FALSE(link.server().can_seal_counted(1, link.now));
  EXPECT_TRUE(link.server().can_seal_uncounted(link.now));
  EXPECT_FALSE(link.server().next_deadline().has_value());
}

TEST(LinkRatchet, acks_go_before_offers) {
  Link link;
  const auto offers = link.offers(1);
  link.record(link.server(), link.client(), RecordClass::counted);
  ASSERT_TRUE(link.give(link.server(), offers[0]).ok());
  EXPECT_EQ(link.take(link.server())->kind, kAck);
  EXPECT_EQ(link.take(link.server())->kind, kOffer);
  EXPECT_FALSE(link.take(link.server()).has_value());
}

TEST(LinkRatchet, has_control_foretells_next_control) {
  Link link;
  EXPECT_FALSE(link.client().has_control(link.now));
  link.data();
  EXPECT_TRUE(link.client().has_control(link.now));
  const auto offer = link.take(link.client());
  EXPECT_FALSE(link.client().has_control(link.now));
  EXPECT_FALSE(link.server().has_control(link.now) && !link.take(link.server()));
  ASSERT_TRUE(link.give(link.server(), *offer).ok());
  EXPECT_TRUE(link.server().has_control(link.now));
}

// Runs every deadline of both ends for that long; how many messages they made.
int run_deadlines(Link& link, Duration time) {
  const TimePoint end = link.now + time;
  int messages = 0;
  for (LinkRatchet* ratchet : {&link.client(), &link.server()}) {
    TimePoint last = link.now;
    for (auto next = ratchet->next_deadline(); next && *next <= end;
         next = ratchet->next_deadline()) {
      EXPECT_GE(*next, last);
      EXPECT_TRUE(ratchet->handle_deadline(*next).ok());
      EXPECT_TRUE(ratchet->next_deadline() != next) << "a deadline that does not go away";
      if (ratchet->has_control(*next)) ++messages;
      last = *next;
    }
  }
  link.now = end;
  return messages;
}

TEST(LinkRatchet, an_idle_link_is_silent_for_days) {
  Link unused, used(8, DepthMode::automatic);
  for (int i = 0; i < 1000; ++i) {
    used.data(1000);
    used.settle();
  }
  EXPECT_EQ(run_deadlines(unused, 72h), 0);
  EXPECT_EQ(run_deadlines(used, 72h), 0);
  for (Link* link : {&unused, &used}) {
    EXPECT_FALSE(link->client().has_control(link->now));
    EXPECT_FALSE(link->server().has_control(link->now));
  }
}

TEST(LinkRatchet, the_first_byte_after_days_of_quiet_waits_for_nothing) {
  for (const std::uint16_t window : std::initializer_list<std::uint16_t>{1, 2, 512}) {
    Link link(window, DepthMode::automatic);
    for (std::uint64_t day = 0; day < 5; ++day) {
      const std::uint64_t epoch = link.data();
      EXPECT_EQ(epoch, day) << "its age did not end the epoch";
      link.settle();
      run_deadlines(link, 24h);
      EXPECT_TRUE(link.client().can_seal_counted(16'335, link.now)) << window;
    }
  }
}

TEST(LinkRatchet, a_direction_without_counted_records_never_runs_out_either) {
  Link link(1, DepthMode::automatic);
  for (std::uint64_t day = 0; day < 5; ++day) {
    ASSERT_TRUE(link.server().can_seal_uncounted(link.now));
    EXPECT_EQ(link.record(link.server(), link.client(), RecordClass::uncounted), day);
    link.settle();
    run_deadlines(link, 24h);
  }
}

TEST(LinkRatchet, the_age_of_a_key_is_a_deadline_of_sender_and_receiver) {
  Link link;
  link.data();
  link.settle();
  EXPECT_EQ(link.client().next_deadline(), link.now + 120s);
  ASSERT_TRUE(link.client().handle_deadline(link.now + 120s).ok());
  EXPECT_EQ(link.client().next_deadline(), link.now + 180s) << "what the server sealed";
  ASSERT_TRUE(link.client().handle_deadline(link.now + 180s).ok());
  EXPECT_FALSE(link.client().next_deadline().has_value());
}

TEST(LinkRatchet, a_round_trip_is_measured_from_its_own_offer) {
  Link link;
  const auto first = link.offers(1);
  link.now += 2s;
  link.offers(1);
  link.now += 1s;
  for (const Message& ack : link.acks(first)) ASSERT_TRUE(link.give(link.client(), ack).ok());
  EXPECT_EQ(link.client().ack_round_trips().percentile(100), log_bucket_top(log_bucket(3'000'000)));
}

TEST(LinkRatchet, an_ack_after_the_deadline_comes_too_late) {
  Link link;
  link.data();
  const auto offer = link.take(link.client());
  const auto acks = link.acks({*offer});
  EXPECT_EQ(link.client().next_deadline(), link.now + 5s);
  EXPECT_TRUE(link.client().handle_deadline(link.now + 5s - 1ns).ok());
  EXPECT_TRUE(link.client().handle_deadline(link.now + 5s).error().is(kAckDeadline));
  EXPECT_EQ(link.client().counters(link.now).deadline_expiries, 1u);
  EXPECT_TRUE(link.client().handle_ack(acks[0].body, link.now + 5s).error().is(kAckDeadline));
}

TEST(LinkRatchet, deadlines_are_frozen_with_their_offers_and_do_not_decrease) {
  Link link;
  const TimePoint start = link.now;
  link.data();
  const auto first = link.take(link.client());
  link.now += 4s;
  const auto acks = link.acks({*first});
  ASSERT_TRUE(link.give(link.client(), acks[0]).ok());  // 4 s: now 12 s are allowed
  const auto later = link.offers(2);
  EXPECT_EQ(link.client().next_deadline(), start + 4s + 12s);
  link.now += 1ms;
  for (const Message& ack : link.acks({later[0]})) ASSERT_TRUE(link.give(link.client(), ack).ok());
  EXPECT_EQ(link.client().next_deadline(), start + 16s) << "a sample moved a frozen deadline";
}

// A client that leaves each epoch after one empty record and asks for the next: a flood of KEM work
// at the price of 1.7 KB each.
TEST(LinkRatchet, a_flood_of_offers_waits_for_credit_and_is_answered_in_order) {
  Link link(8, DepthMode::fixed, {262'144, 1, 500}, kExtreme);
  for (int round = 0; round < 100; ++round) {
    if (link.client().can_seal_counted(0, link.now)) link.data(0);
    link.settle();
  }
  EXPECT_EQ(link.server().counters(link.now).acks_sent, 8u);
  EXPECT_EQ(link.server().counters(link.now).offers_waiting, 1u);
  for (std::uint64_t answered = 9; answered < 20; ++answered) {
    const auto next = link.server().next_deadline();
    ASSERT_TRUE(next.has_value());
    EXPECT_LE(*next - link.now, 250ms);
    link.now = *next;
    ASSERT_TRUE(link.server().handle_deadline(link.now).ok());
    link.settle();
    EXPECT_EQ(link.server().counters(link.now).acks_sent, answered);
    link.data(0);
    link.settle();
  }
}

TEST(LinkRatchet, blocked_time_runs_from_the_refusal_to_the_ack) {
  Link link;
  const auto offers = link.offers(1);
  link.data(262'143);
  EXPECT_FALSE(link.client().blocked());
  EXPECT_FALSE(link.client().can_seal_counted(1, link.now));
  EXPECT_TRUE(link.client().blocked());
  link.now += 60ms;
  EXPECT_FALSE(link.client().can_seal_counted(1, link.now));
  EXPECT_EQ(link.client().blocked_time().total(link.now), 60ms);
  for (const Message& ack : link.acks(offers)) ASSERT_TRUE(link.give(link.client(), ack).ok());
  EXPECT_FALSE(link.client().blocked());
  EXPECT_EQ(link.client().blocked_time().total(link.now + 1h), 60ms);
  EXPECT_EQ(link.client().blocked_time().waits().total(), 1u);
}

TEST(LinkRatchet, blocked_time_also_ends_when_nothing_is_wanted_any_more) {
  Link link;
  link.offers(1);
  link.data(262'143);
  ASSERT_FALSE(link.client().can_seal_counted(1, link.now));
  link.client().no_longer_wanted(link.now + 10ms);
  EXPECT_FALSE(link.client().blocked());
  EXPECT_EQ(link.client().blocked_time().total(link.now + 1h), 10ms);
}

TEST(LinkRatchet, a_spent_direction_still_sends_the_ack_that_frees_the_other) {
  Link link;
  const auto offers = link.offers(1);
  while (link.server().send_epochs().can_seal(RecordClass::counted, 16'000, link.now)) {
    link.record(link.server(), link.client(), RecordClass::counted, 16'000);
  }
  ASSERT_FALSE(link.server().can_seal_counted(16'000, link.now));
  const auto acks = link.acks(offers);
  ASSERT_EQ(acks.size(), 1u);
  EXPECT_TRUE(link.give(link.client(), acks[0]).ok());
}

TEST(LinkRatchet, counts_what_it_did) {
  Link link;
  for (const Message& ack : link.acks(link.offers(3))) {
    ASSERT_TRUE(link.give(link.client(), ack).ok());
  }
  const auto client = link.client().counters(link.now), server = link.server().counters(link.now);
  EXPECT_EQ(client.offers_sent, 3u);
  EXPECT_EQ(client.acks_received, 3u);
  EXPECT_EQ(client.depth_target, 8u);
  EXPECT_EQ(server.offers_received, 3u);
  EXPECT_EQ(server.acks_sent, 3u);
  EXPECT_EQ(server.receive_prepared, 3u);
  EXPECT_EQ(link.client().ack_round_trips().total(), 3u);
  // Both current epochs, three prepared ones, and what the server offered.
  EXPECT_EQ(client.exposed_bytes, (2 + 3 + client.receive_prepared) * 262'144);
}

}  // namespace
}  // namespace karst::keys
