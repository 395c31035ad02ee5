#include <gtest/gtest.h>

#include "stream/connection_pair_for_test.h"

namespace karst::stream {
namespace {

keys::PskCredential psk_credential(const keys::ClientPsk& psk) {
  return {wire::PskGeneration::zero, psk.duplicate()};
}

struct Fixture : testing::Test {
  Fixture() : client(server), psk(server.add_client(client.identity.node_id())) {}

  keys::FrontSecret front() { return server.front.current().duplicate(); }

  ServerForTest server;
  ClientForTest client;
  keys::ClientPsk psk;
};

using ConnectionPairTest = Fixture;

// Carries `data` from one multiplexer to the other and back.
void expect_echo(ConnectionPair& pair, std::size_t size) {
  mux::Mux& client = pair.client.link()->mux();
  mux::Mux& server = pair.server.http2()->tunnel()->link()->mux();
  const auto stream = client.open({wire::Target{std::string("example.org"), 80}}).value();
  ByteVector data(size);
  Prng(3).fill(data);
  ByteVector at_server, at_client;
  std::size_t sent = 0;
  const auto drain = [&](mux::Mux& mux, ByteVector& out) {
    Bytes run;
    while (mux.received(stream, {&run, 1}) > 0) {
      const std::size_t count = run.size();
      out.insert(out.end(), run.begin(), run.end());
      mux.consume_received(stream, count, pair.now);
    }
  };
  std::size_t echoed = 0;
  for (int turn = 0; turn < 100'000 && at_client.size() < size; ++turn) {
    sent += client.send(stream, Bytes(data).subspan(sent));
    pair.settle();
    while (const auto event = server.poll_event()) {
      if (std::holds_alternative<mux::Opened>(*event)) server.accept(stream, std::nullopt);
    }
    while (client.poll_event()) {
    }
    drain(server, at_server);
    echoed += server.send(stream, Bytes(at_server).subspan(echoed));
    pair.settle();
    drain(client, at_client);
    pair.now += std::chrono::milliseconds(1);
  }
  EXPECT_EQ(at_client, data);
}

TEST_F(ConnectionPairTest, a_known_client_gets_a_link_that_carries_bytes_both_ways) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  ASSERT_EQ(pair.ups, 1) << (pair.client.error() ? pair.client.error()->kind().name : "");
  ASSERT_EQ(pair.peer_ups, 1);
  EXPECT_EQ(pair.server.http2()->tunnel()->peer()->name(), "alice");
  expect_echo(pair, 3'000'000);
  // Under the extreme policy three million bytes cross at least eleven epochs each way.
  EXPECT_GE(pair.client.link()->ratchet().counters(pair.now).send_epoch, 11u);
  EXPECT_GE(pair.server.http2()->tunnel()->link()->ratchet().counters(pair.now).send_epoch, 11u);
}

// A site that answers nothing.
struct HangingSite final : cover::Handler {
  struct Silence final : cover::Exchange {
    std::size_t input_room() const override { return 0; }
    void input(Bytes, const Moment&) override {}
    void input_end(const Moment&) override {}
    std::optional<cover::Response> poll_response(const Moment&) override { return std::nullopt; }
    Bytes output() const override { return {}; }
    void consume(std::size_t, const Moment&) override {}
    Ending ending() const override { return Ending::open; }
  };
  std::unique_ptr<cover::Exchange> begin(cover::Request, cover::ConnectionKey,
                                         const Moment&) override {
    return std::make_unique<Silence>();
  }
};

TEST_F(ConnectionPairTest, a_site_that_hangs_does_not_keep_the_link_from_coming_up) {
  HangingSite site;
  server.shared.site = &site;
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  EXPECT_EQ(pair.ups, 0);
  pair.now = pair.client.next_deadline().value();
  EXPECT_EQ(pair.now, kStart + kPageTime);
  pair.client.handle_deadline(pair.moment());
  pair.settle();
  ASSERT_EQ(pair.ups, 1) << (pair.client.error() ? pair.client.error()->kind().name : "");
  expect_echo(pair, 1000);
}

TEST_F(ConnectionPairTest, bytes_that_trickle_one_at_a_time_make_the_same_link) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle(1);
  ASSERT_EQ(pair.ups, 1);
  ASSERT_EQ(pair.peer_ups, 1);
}

TEST_F(ConnectionPairTest, an_invited_client_is_enrolled_and_comes_back_with_its_new_psk) {
  ClientForTest bob(server, 9);
  const wire::InviteId id{1, 2, 3};
  auto invite_psk = keys::ClientPsk::random(server.entropy);
  ASSERT_TRUE(server.registry
                  .add_invite(id, "bob", invite_psk.duplicate(),
                              UnixTime{ConnectionPair::kWall.seconds + 60}, {})
                  .ok());
  server.store_registry();
  ConnectionPair first(server, bob, front(), keys::InviteCredential{id, invite_psk.duplicate()});
  first.settle();
  ASSERT_EQ(first.ups, 1);
  ASSERT_EQ(first.peer_ups, 1);
  ASSERT_TRUE(first.enrolled.has_value());
  ConnectionPair second(server, bob, front(),
                        keys::PskCredential{wire::PskGeneration::one, first.enrolled->duplicate()});
  second.settle();
  EXPECT_EQ(second.ups, 1);
  EXPECT_EQ(second.server.http2()->tunnel()->peer()->name(), "bob");
}

struct Refusal {
  const char* what;
  bool known_identity;
  bool right_psk;
  bool right_front;
  const char* trace;
};

TEST_F(ConnectionPairTest, nobody_gets_a_link_without_front_secret_identity_and_psk) {
  const Refusal refusals[] = {
      {"unknown identity", false, true, true, "client-refused reason=client-unknown"},
      {"wrong psk", true, false, true, "client-refused reason="},
      {"wrong front secret", true, true, false, "admission-refused reason=proof-wrong"},
  };
  for (const Refusal& refusal : refusals) {
    server.trace.lines.clear();
    ClientForTest stranger(server, 99);
    ClientForTest& who = refusal.known_identity ? client : stranger;
    const auto other = keys::ClientPsk::random(server.entropy);
    ConnectionPair pair(server, who,
                        refusal.right_front ? front() : keys::FrontSecret::random(server.entropy),
                        psk_credential(refusal.right_psk ? psk : other));
    pair.settle();
    EXPECT_EQ(pair.ups, 0) << refusal.what;
    EXPECT_EQ(pair.peer_ups, 0) << refusal.what;
    EXPECT_TRUE(pair.client.error().has_value()) << refusal.what;
    EXPECT_TRUE(server.trace.has(refusal.trace))
        << refusal.what << ": " << (server.trace.lines.empty() ? "-" : server.trace.lines.back());
  }
}

TEST_F(ConnectionPairTest, application_data_leaves_three_round_trips_after_tcp_is_there) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  for (int round_trip = 0; round_trip < 3; ++round_trip) {
    ASSERT_EQ(pair.client.link(), nullptr) << round_trip;
    pair.send_all_to_server();
    pair.send_all_to_client();
  }
  ASSERT_NE(pair.client.link(), nullptr);
  mux::Mux& mux = pair.client.link()->mux();
  const auto stream = mux.open({wire::Target{std::string("example.org"), 80}}).value();
  mux.send(stream, as_bytes("GET / HTTP/1.1"));
  pair.client.resume();
  pair.send_all_to_server();
  ASSERT_EQ(pair.peer_ups, 1);
  mux::Mux& at_server = pair.server.http2()->tunnel()->link()->mux();
  EXPECT_EQ(at_server.received_bytes(stream), 14u);
}

TEST_F(ConnectionPairTest, a_client_whose_enrolment_is_slow_gets_no_credit_beyond_the_early_data) {
  ClientForTest bob(server, 9);
  const wire::InviteId id{1, 2, 3};
  auto invite_psk = keys::ClientPsk::random(server.entropy);
  ASSERT_TRUE(server.registry
                  .add_invite(id, "bob", invite_psk.duplicate(),
                              UnixTime{ConnectionPair::kWall.seconds + 60}, {})
                  .ok());
  server.store_registry();
  ConnectionPair pair(server, bob, front(), keys::InviteCredential{id, invite_psk.duplicate()});
  // The disk is slow: nothing is written while the bytes move.
  for (int round_trip = 0; round_trip < 6; ++round_trip) {
    pair.send_all_to_server();
    pair.send_all_to_client();
  }
  ASSERT_NE(pair.client.link(), nullptr);
  mux::Mux& mux = pair.client.link()->mux();
  const auto stream = mux.open({wire::Target{std::string("example.org"), 80}}).value();
  const ByteVector data(200'000, 'd');
  std::size_t sent = 0;
  for (int round_trip = 0; round_trip < 10; ++round_trip) {
    sent += mux.send(stream, Bytes(data).subspan(sent));
    pair.client.resume();
    pair.send_all_to_server();
    pair.send_all_to_client();
  }
  EXPECT_EQ(pair.peer_ups, 0);
  EXPECT_FALSE(pair.server.over());
  EXPECT_FALSE(pair.client.error().has_value());
  // What came is held: the multiplexer has not been told of the stream.
  ASSERT_NE(pair.server.http2()->tunnel()->link(), nullptr);
  EXPECT_FALSE(pair.server.http2()->tunnel()->link()->mux().poll_event());
  pair.settle();  // The disk comes round.
  for (int round_trip = 0; round_trip < 20; ++round_trip) {
    sent += mux.send(stream, Bytes(data).subspan(sent));
    pair.settle();
  }
  ASSERT_EQ(pair.peer_ups, 1);
  EXPECT_EQ(pair.server.http2()->tunnel()->link()->mux().received_bytes(stream), data.size());
}

// What a multiplexer was told by its peer about the end.
std::optional<wire::GoAwayReason> goaway_seen(mux::Mux& mux) {
  std::optional<wire::GoAwayReason> reason;
  while (const auto event = mux.poll_event()) {
    if (const auto* going = std::get_if<mux::GoingAway>(&*event)) reason = going->goaway.reason;
  }
  return reason;
}

TEST_F(ConnectionPairTest, a_server_whose_link_fails_says_so_before_it_closes) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  ASSERT_EQ(pair.ups, 1);
  // A record is lost on its way, which no network can do.
  pair.client.link()->mux().ping();
  ByteVector lost(RecordSource::kRecordBytesMax);
  ASSERT_GT(pair.client.link()->poll_record(lost, pair.now), 0u);
  ASSERT_TRUE(pair.client.link()->mux().open({wire::Target{std::string("a.example"), 1}}).ok());
  pair.settle();
  EXPECT_EQ(goaway_seen(pair.client.link()->mux()), wire::GoAwayReason::protocol_error);
  EXPECT_TRUE(pair.client.over());
}

TEST_F(ConnectionPairTest, a_client_whose_link_fails_says_so_before_it_closes) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  ASSERT_EQ(pair.ups, 1);
  mux::Mux& at_server = pair.server.http2()->tunnel()->link()->mux();
  at_server.ping();
  ByteVector lost(RecordSource::kRecordBytesMax);
  ASSERT_GT(pair.server.http2()->tunnel()->link()->poll_record(lost, pair.now), 0u);
  at_server.go_away(wire::GoAwayReason::shutdown);
  pair.server.http2()->resume_tunnel();
  pair.settle();
  EXPECT_EQ(goaway_seen(at_server), wire::GoAwayReason::protocol_error);
}

TEST_F(ConnectionPairTest, a_link_that_fails_in_silence_is_closed_at_once) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  ASSERT_EQ(pair.ups, 1);
  pair.server.http2()->drain();
  pair.settle();
  ASSERT_FALSE(pair.client.over());
  EXPECT_FALSE(pair.server.http2()->tunnel()->link()->open(ByteVector(100), pair.now).ok());
  pair.settle();
  EXPECT_TRUE(pair.client.over());
  // It was let in: to ask for a new invite would not help.
  EXPECT_TRUE(pair.client.error()->is(kTunnelClosed));
}

TEST_F(ConnectionPairTest, a_client_that_is_closed_ends_the_connection_on_both_sides) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  pair.settle();
  ASSERT_EQ(pair.ups, 1);
  pair.client.close(pair.moment());
  pair.settle();
  EXPECT_TRUE(pair.client.over());
  EXPECT_TRUE(pair.server.over());
}

TEST_F(ConnectionPairTest, a_link_that_is_not_up_in_time_says_so) {
  ConnectionPair pair(server, client, front(), psk_credential(psk));
  EXPECT_EQ(pair.client.next_deadline(), pair.now + kSetupTime);
  pair.now += kSetupTime;
  pair.client.handle_deadline(pair.moment());
  ASSERT_TRUE(pair.client.error().has_value());
  EXPECT_TRUE(pair.client.error()->is(kSetupTimeout));
}

}  // namespace
}  // namespace karst::stream
