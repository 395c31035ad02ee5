#include "stream/link.h"

#include <gtest/gtest.h>

#include "base/prng.h"
#include "keys/ratchet_pair_for_test.h"

namespace karst::stream {
namespace {

using keys::RatchetPair;

constexpr TimePoint kNow{std::chrono::seconds(1000)};

keys::LinkSecrets secrets() {
  return {RatchetPair::root(0x11), RatchetPair::root(0x22), RatchetPair::psk(),
          RatchetPair::secret<keys::ResumeKey>(0x44)};
}

// A client's link whose peer never answers.
struct Alone {
  explicit Alone(std::uint16_t window)
      : link({mux::Role::client, RatchetPair::parameters(keys::kExtreme, window),
              keys::DepthMode::fixed, mux::Limits()},
             secrets(), budget, entropy, kNow) {
    link.send_first({});
    link.release();
  }
  // Lets `count` bytes wait to be sent and takes every record that comes.
  void send(std::size_t count) {
    const ByteVector bytes(count, 'd');
    for (std::size_t sent = 0; sent < count;) {
      const std::size_t taken = link.mux().send(stream, Bytes(bytes).subspan(sent));
      sent += taken;
      if (poll() == 0 && taken == 0) return;
    }
    poll();
  }
  std::size_t poll() {
    std::size_t all = 0;
    while (const std::size_t size = link.poll_record(space, kNow)) all += size;
    return all;
  }

  MemoryBudget budget{1u << 30};
  SeededEntropy entropy{1};
  Link link;
  mux::StreamId stream = link.mux().open({wire::Target{std::string("example.org"), 80}}).value();
  ByteVector space = ByteVector(record::kRecordBytesMax);
};

struct Gate final : KemGate {
  bool enter(TimePoint) override { return open; }
  void started() override { ++begun; }
  void finished() override { ++ended; }
  bool open = false;
  int begun = 0;
  int ended = 0;
};

TEST(Link, offers_wait_for_their_turn_and_data_does_not) {
  Alone end(8);
  Gate gate;
  end.link.set_kem_gate(&gate);
  end.send(1'000);
  EXPECT_EQ(end.link.ratchet().counters(kNow).offers_sent, 0u);
  EXPECT_GE(end.link.ratchet().send_epochs().counters().records.bytes, 1'000u);
  EXPECT_EQ(gate.begun, 0);
  gate.open = true;
  end.poll();
  const auto offers = end.link.ratchet().counters(kNow).offers_sent;
  EXPECT_GT(offers, 0u);
  EXPECT_EQ(gate.begun, static_cast<int>(offers));
  EXPECT_EQ(gate.ended, gate.begun);
}

TEST(Link, an_ack_is_handled_at_once_and_charged) {
  Alone client(1);
  SeededEntropy entropy{2};
  Link server({mux::Role::server, RatchetPair::parameters(keys::kExtreme, 1),
               keys::DepthMode::fixed, mux::Limits()},
              secrets(), client.budget, entropy, kNow);
  server.release();
  Gate of_client, of_server;
  of_client.open = true;
  client.link.set_kem_gate(&of_client);
  server.set_kem_gate(&of_server);
  const auto carry = [](Link& from, Link& to) {
    ByteVector space(record::kRecordBytesMax);
    while (const std::size_t size = from.poll_record(space, kNow)) {
      const auto opened = to.open(Bytes(space).first(size), kNow);
      ASSERT_TRUE(opened.ok());
      ASSERT_TRUE(to.accept(*opened, kNow).ok());
    }
  };
  carry(client.link, server);
  EXPECT_EQ(server.ratchet().counters(kNow).offers_waiting, 1u) << "its turn has not come";
  of_server.open = true;
  // The server's answer and its own offer.
  of_client.open = false;
  const int before = of_client.begun;
  carry(server, client.link);
  EXPECT_EQ(client.link.ratchet().counters(kNow).acks_received, 1u);
  EXPECT_EQ(of_client.begun, before + 1);
  EXPECT_EQ(of_client.ended, of_client.begun);
}

TEST(Link, a_link_with_nothing_to_send_does_not_count_as_blocked_by_the_ratchet) {
  Alone end(1);
  // Leaves less of the epoch than a full record takes.
  end.send(248'000);
  ASSERT_EQ(end.link.mux().blocked(), mux::Blocked::idle);
  ASSERT_FALSE(end.link.ratchet().send_epochs().can_seal(keys::RecordClass::counted,
                                                         wire::kPlaintextBytesMax, kNow));
  for (int turn = 0; turn < 10; ++turn) EXPECT_EQ(end.poll(), 0u);
  EXPECT_EQ(end.link.ratchet().blocked_time().waits().total(), 0u);
  EXPECT_EQ(end.link.blocked(), LinkBlocked::idle);
  end.send(1);
  EXPECT_EQ(end.link.blocked(), LinkBlocked::ratchet);
}

// Both ends of one link; its first records have not been sent.
struct LinkPair {
  LinkPair()
      : client({.role = mux::Role::client, .parameters = {}, .limits = {}}, secrets(), budget,
               entropy, kNow),
        server({.role = mux::Role::server, .parameters = {}, .limits = {}}, secrets(), budget,
               entropy, kNow) {
    client.send_first({});
    server.send_first(as_bytes("OK"));
  }

  // The next record of `from`; empty if it has none.
  static ByteVector poll(Link& from) {
    ByteVector space(record::kRecordBytesMax);
    space.resize(from.poll_record(space, kNow));
    return space;
  }
  // Hands it to the other end; what kind of record it was.
  static wire::RecordKind give(Link& to, const ByteVector& sealed) {
    const auto opened = to.open(sealed, kNow);
    EXPECT_TRUE(opened.ok());
    EXPECT_TRUE(to.accept(*opened, kNow).ok());
    return opened->kind;
  }

  MemoryBudget budget{1 << 30};
  SeededEntropy entropy{1};
  Link client;
  Link server;
};

TEST(Link, an_offer_and_an_ack_leave_before_queued_data) {
  LinkPair pair;
  pair.client.release();
  const ByteVector data(100'000, 'd');
  const auto stream =
      pair.client.mux().open({wire::Target{std::string("example.org"), 80}}).value();
  pair.client.mux().send(stream, data);
  ASSERT_EQ(LinkPair::give(pair.server, LinkPair::poll(pair.client)), wire::RecordKind::uncounted);
  EXPECT_EQ(LinkPair::give(pair.server, LinkPair::poll(pair.client)), wire::RecordKind::ratchet);
  EXPECT_EQ(LinkPair::give(pair.server, LinkPair::poll(pair.client)), wire::RecordKind::counted);

  pair.server.release();
  pair.server.mux().accept(stream, std::nullopt);
  pair.server.mux().send(stream, data);
  ASSERT_TRUE(pair.client.open_ok(LinkPair::poll(pair.server), kNow).ok());
  const auto ack = pair.client.open(LinkPair::poll(pair.server), kNow);
  ASSERT_TRUE(ack.ok());
  ASSERT_EQ(ack->kind, wire::RecordKind::ratchet);
  EXPECT_EQ(wire::ratchet_frame(ack->plaintext).type, wire::FrameType::ack);
}

TEST(Link, until_it_is_released_nothing_follows_the_first_record) {
  LinkPair pair;
  pair.client.release();
  LinkPair::give(pair.server, LinkPair::poll(pair.client));
  LinkPair::give(pair.server, LinkPair::poll(pair.client));
  pair.server.mux().ping();
  ASSERT_TRUE(pair.client.open_ok(LinkPair::poll(pair.server), kNow).ok());
  EXPECT_TRUE(LinkPair::poll(pair.server).empty()) << "an ACK and a PING wait";
  pair.server.release();
  EXPECT_EQ(LinkPair::give(pair.client, LinkPair::poll(pair.server)), wire::RecordKind::ratchet);
}

}  // namespace
}  // namespace karst::stream
