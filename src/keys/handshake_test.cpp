// What an honest client and server do: keys, parameters, OK, both carriers, invites and enrolment.
#include <gtest/gtest.h>

#include <set>

#include "keys/handshake_world_for_test.h"

namespace karst::keys {
namespace {

struct Handshake : testing::Test {
  HandshakeWorld world;

  HandshakeWorld::Pair shake_hands(ClientCredential credential) {
    auto pair = world.shake_hands(std::move(credential));
    CHECK(pair.ok());
    return std::move(*pair);
  }
  const ErrorKind* refusal(ClientCredential credential) {
    const auto pair = world.shake_hands(std::move(credential));
    return pair ? nullptr : &pair.error().kind();
  }
  // Confirms, with a disk that works.
  Result<PeerToken> confirm(ProvisionalPeer peer) {
    TRY_ASSIGN(Confirmation confirmation,
               std::move(peer).confirm(world.registry, world.server_wall));
    if (auto* token = std::get_if<PeerToken>(&confirmation)) return std::move(*token);
    world.settle();
    return std::move(std::get<EnrolmentPending>(confirmation))
        .complete(*world.registry.poll_outcome());
  }
  const ClientRecord& client() {
    return world.registry.clients().at(world.client_identity.node_id());
  }
};

TEST_F(Handshake, both_sides_end_with_the_same_secrets_and_parameters) {
  world.register_client();
  world.client_local.rekey_window = 100;
  world.server_local.policy = kBrisk;
  auto [client, server] = shake_hands(world.by_psk());
  EXPECT_TRUE(same_secrets(client.secrets, server.take_secrets()));
  EXPECT_EQ(client.transcript, server.transcript());
  EXPECT_EQ(server.node_id(), world.client_identity.node_id());
  EXPECT_EQ(server.name(), "alice");
  for (const LinkParameters& parameters : {client.parameters, server.parameters()}) {
    EXPECT_EQ(parameters.rekey_window, 100);
    EXPECT_EQ(parameters.policy, kExtreme);
    EXPECT_EQ(parameters.aead, crypto::AeadKind::aes_256_gcm);
    EXPECT_EQ(parameters.carrier, Carrier::stream);
  }
}

TEST_F(Handshake, two_handshakes_share_no_secret_and_no_session_id) {
  world.register_client();
  auto first = shake_hands(world.by_psk());
  auto second = shake_hands(world.by_psk());
  EXPECT_FALSE(same_secrets(first.client.secrets, second.client.secrets));
  const auto id = [&](ProvisionalPeer& peer) {
    return wire::parse_ok(peer.ok_record({}, {}, world.entropy))->session_id;
  };
  EXPECT_NE(id(first.server), id(second.server));
}

TEST_F(Handshake, ok_brings_the_client_what_the_server_gives_it) {
  world.server_limits = {77, 9};
  ASSERT_TRUE(
      world.registry
          .add_client(world.client_identity.node_id(), "alice", world.psk.duplicate(), {5, 1'000})
          .ok());
  world.settle();
  auto [client, server] = shake_hands(world.by_psk());
  const wire::AssignedAddress v4{IpAddress::v4({10, 0, 0, 2}), 24};
  const wire::AssignedAddress v6{*IpAddress::parse("fd00::2"), 64};
  const auto session = std::move(client.next).handle(server.ok_record(v4, v6, world.entropy));
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->ipv4, v4);
  EXPECT_EQ(session->ipv6, v6);
  EXPECT_EQ(session->limits, (wire::ClientLimits{5, 1'000}));
  EXPECT_EQ(session->server_limits, world.server_limits);
  EXPECT_FALSE(session->enrolled_psk.has_value());
  const auto token = confirm(std::move(server));
  ASSERT_TRUE(token.ok());
  EXPECT_EQ(token->session_id(), session->session_id);
  EXPECT_EQ(token->limits(), (wire::ClientLimits{5, 1'000}));
  EXPECT_EQ(token->node_id(), world.client_identity.node_id());
}

TEST_F(Handshake, the_stream_carrier_looks_at_no_clock) {
  world.register_client();
  for (const std::int64_t skew : {-10, -1, 1, 10}) {
    world.server_wall = {kWorldNow.seconds + skew * 366 * 86'400};
    EXPECT_EQ(refusal(world.by_psk()), nullptr) << skew << " years";
  }
}

TEST_F(Handshake, the_client_learns_the_servers_time) {
  world.register_client();
  world.server_wall = {12'345};
  EXPECT_EQ(shake_hands(world.by_psk()).client.server_time, (UnixTime{12'345}));
}

TEST_F(Handshake, message_sizes_differ_from_one_handshake_to_the_next) {
  world.register_client();
  std::set<std::size_t> m1, m2, m3, ok;
  for (int i = 0; i < 8; ++i) {
    const TlsExporter connection = world.new_connection();
    ClientHello hello = world.hello(connection, world.by_psk());
    m1.insert(hello.m1.size());
    ServerAnswer answer = *world.answer(connection, hello.m1);
    m2.insert(answer.m2.size());
    ClientReply reply = *std::move(hello.next).handle(answer.m2, world.entropy);
    m3.insert(reply.m3.size());
    ok.insert(std::move(answer.next)
                  .handle(reply.m3, world.registry, kWorldNow, world.entropy)
                  ->ok_record({}, {}, world.entropy)
                  .size());
  }
  for (const auto& sizes : {m1, m2, m3, ok}) EXPECT_GE(sizes.size(), 6u);
}

TEST_F(Handshake, no_message_has_a_byte_that_is_always_the_same) {
  world.register_client();
  ByteVector all_or(1'500, 0), all_and(1'500, 0xff);
  for (int i = 0; i < 16; ++i) {
    const TlsExporter connection = world.new_connection();
    const ByteVector m1 = world.hello(connection, world.by_psk()).m1;
    for (std::size_t at = 0; at < all_or.size(); ++at) {
      all_or[at] |= m1[at];
      all_and[at] &= m1[at];
    }
  }
  for (std::size_t at = 0; at < all_or.size(); ++at) EXPECT_NE(all_or[at], all_and[at]) << at;
}

// ---------------------------------------------------------------------- enrolment

TEST_F(Handshake, an_invite_enrols_the_client_under_a_new_psk_of_both_sides) {
  const auto id = world.invite("bob");
  auto [client, server] = shake_hands(world.by_invite(id));
  EXPECT_EQ(server.name(), "bob");
  auto session = std::move(client.next).handle(server.ok_record({}, {}, world.entropy));
  ASSERT_TRUE(session.ok() && session->enrolled_psk.has_value());
  ASSERT_TRUE(confirm(std::move(server)).ok());

  EXPECT_EQ(this->client().name, "bob");
  EXPECT_TRUE(equal(this->client().generation_1->expose(), session->enrolled_psk->expose()));
  EXPECT_TRUE(equal(this->client().generation_0->expose(), world.psk.expose()));
  EXPECT_EQ(world.registry.invites().at(id).spent_by, world.client_identity.node_id());
  EXPECT_EQ(world.registry.invites().at(id).psk, nullptr);
  EXPECT_FALSE(equal(session->enrolled_psk->expose(), world.psk.expose()));
}

TEST_F(Handshake, nothing_is_enrolled_before_the_first_record_has_opened) {
  const auto id = world.invite();
  const auto pair = shake_hands(world.by_invite(id));
  EXPECT_TRUE(world.registry.clients().empty());
  EXPECT_FALSE(world.registry.poll_write(world.now).has_value());
  EXPECT_FALSE(world.registry.invites().at(id).spent_by.has_value());
}

TEST_F(Handshake, a_full_disk_refuses_the_enrolment_and_leaves_nothing_half_done) {
  const auto id = world.invite();
  auto [client, server] = shake_hands(world.by_invite(id));
  auto confirmation = std::move(server).confirm(world.registry, kWorldNow);
  ASSERT_TRUE(confirmation.ok());
  auto& pending = std::get<EnrolmentPending>(*confirmation);
  const auto before = to_vector(world.registry.format().expose());
  world.settle(WriteOutcome::failed);
  const auto outcome = world.registry.poll_outcome();
  ASSERT_EQ(outcome->ticket(), pending.ticket());
  const auto token = std::move(pending).complete(*outcome);
  ASSERT_FALSE(token.ok());
  EXPECT_TRUE(token.error().is(kEnrolmentNotStored));
  EXPECT_TRUE(equal(world.registry.format().expose(), before));
  EXPECT_EQ(refusal(world.by_invite(id)), nullptr) << "the invite is still good";
}

TEST_F(Handshake, generation_0_goes_when_generation_1_has_been_used_once) {
  auto first = shake_hands(world.by_invite(world.invite()));
  auto session = std::move(first.client.next).handle(first.server.ok_record({}, {}, world.entropy));
  ASSERT_TRUE(confirm(std::move(first.server)).ok());
  EXPECT_EQ(refusal(world.by_psk(wire::PskGeneration::zero)), nullptr);

  auto second =
      shake_hands(PskCredential{wire::PskGeneration::one, session->enrolled_psk->duplicate()});
  EXPECT_NE(client().generation_0, nullptr) << "M3 alone must not count as use";
  EXPECT_TRUE(same_secrets(second.client.secrets, second.server.take_secrets()));
  ASSERT_TRUE(confirm(std::move(second.server)).ok());
  EXPECT_EQ(client().generation_0, nullptr);
  EXPECT_EQ(refusal(world.by_psk(wire::PskGeneration::zero)), &kPskGenerationUnknown);
}

TEST_F(Handshake, a_client_that_lost_its_new_psk_may_enrol_again_until_it_has_used_it) {
  const auto id = world.invite();
  ASSERT_TRUE(confirm(shake_hands(world.by_invite(id)).server).ok());
  const SharedPsk lost = client().generation_1;

  auto again = shake_hands(world.by_invite(id));
  auto session = std::move(again.client.next).handle(again.server.ok_record({}, {}, world.entropy));
  ASSERT_TRUE(confirm(std::move(again.server)).ok());
  EXPECT_FALSE(equal(client().generation_1->expose(), lost->expose()));
  EXPECT_TRUE(equal(client().generation_1->expose(), session->enrolled_psk->expose()));

  auto used =
      shake_hands(PskCredential{wire::PskGeneration::one, session->enrolled_psk->duplicate()});
  ASSERT_TRUE(confirm(std::move(used.server)).ok());
  EXPECT_EQ(refusal(world.by_invite(id)), &kInviteSpent);
}

TEST_F(Handshake, a_psk_placed_by_hand_stays_generation_0) {
  world.register_client();
  ASSERT_TRUE(confirm(shake_hands(world.by_psk()).server).ok());
  EXPECT_NE(client().generation_0, nullptr);
  EXPECT_EQ(client().generation_1, nullptr);
  EXPECT_EQ(refusal(world.by_psk(wire::PskGeneration::one)), &kPskGenerationUnknown);
}

// ------------------------------------------------------------------ datagram carrier

struct DatagramHandshake : Handshake {
  static constexpr Endpoint kSource{IpAddress(), 5'000};
  ReplayStore replays{BootId{1}, world.entropy};
  UnixTime client_clock = kWorldNow;

  DatagramHandshake() {
    CHECK(replays.load({}, world.now).ok());
    world.register_client();
    // The fragment layer's part: whoever sent this holds the front secret.
    sealed =
        seal_front_datagram(world.front.current(), Direction::client_to_server, {}, world.entropy);
  }
  DatagramAccess access() {
    return std::move(OpenedDatagram::open(world.front, sealed, kWorldNow)->access);
  }
  ReplayGrant stored(const HandshakeGrant& grant, const ReplayId& id) {
    CHECK(replays.insert(grant, id, kSource, world.now).ok());
    CHECK(replays.poll_write(world.now).has_value());
    replays.written(WriteOutcome::durable, world.now);
    return *std::move(replays.poll_outcome()->result);
  }
  ClientHello hello() {
    return start_client(world.client_config(), world.front.current().duplicate(), world.by_psk(),
                        DatagramBinding{client_clock, wire::ReceiverId{0xabc}}, world.entropy);
  }
  Result<ServerCheckedM1> check(Bytes m1) {
    return ServerAwaitM1(world.server_config(), access()).handle(m1, kWorldNow);
  }
  ByteVector sealed;
};

TEST_F(DatagramHandshake, completes_with_receiver_ids_and_without_an_exporter) {
  world.client_local.capabilities.aes = false;
  ClientHello sent = hello();
  auto checked = check(sent.m1);
  ASSERT_TRUE(checked.ok()) << checked.error().kind().name;
  HandshakeGrant grant = *world.limiter.admit(IpAddress(), world.now);
  ReplayGrant replay = stored(grant, checked->replay_id());
  auto answer = std::move(*checked).answer(std::move(grant), std::move(replay),
                                           wire::ReceiverId{0x123}, kWorldNow, world.entropy);
  ASSERT_TRUE(answer.ok());
  auto reply = std::move(sent.next).handle(answer->m2, world.entropy);
  ASSERT_TRUE(reply.ok()) << reply.error().kind().name;
  EXPECT_EQ(reply->server_receiver, wire::ReceiverId{0x123});
  EXPECT_EQ(reply->parameters.aead, crypto::AeadKind::chacha20_poly1305);
  auto peer = std::move(answer->next).handle(reply->m3, world.registry, kWorldNow, world.entropy);
  ASSERT_TRUE(peer.ok());
  EXPECT_EQ(peer->client_receiver(), wire::ReceiverId{0xabc});
  EXPECT_EQ(peer->parameters().carrier, Carrier::datagram);
  EXPECT_TRUE(same_secrets(reply->secrets, peer->take_secrets()));
}

TEST_F(DatagramHandshake, m1_is_long_enough_for_an_answer_three_times_as_long) {
  for (int i = 0; i < 16; ++i) {
    const std::size_t size = hello().m1.size();
    EXPECT_GE(size, 3'600u);
    EXPECT_LT(size, 4'000u);
  }
}

TEST_F(DatagramHandshake, a_clock_is_off_by_at_most_an_hour_and_a_bit) {
  const std::int64_t hour = kWorldNow.seconds / 3'600 * 3'600;
  for (const auto& [clock, good] :
       {std::pair{hour - 3'601, false}, std::pair{hour - 3'600, true},
        std::pair{hour + 7'199, true}, std::pair{hour + 7'200, false}}) {
    client_clock = {clock};
    const auto checked = check(hello().m1);
    EXPECT_EQ(checked.ok(), good) << clock - hour;
    if (!good) {
      EXPECT_TRUE(checked.error().is(kClockSkew));
    }
  }
}

TEST_F(DatagramHandshake, the_replay_id_is_the_first_half_of_the_nonce) {
  const ClientHello sent = hello();
  const auto id = check(sent.m1)->replay_id();
  EXPECT_TRUE(equal(id, Bytes(wire::parse_m1(sent.m1)->nonce).first(16)));
  EXPECT_EQ(check(sent.m1)->replay_id(), id) << "a retransmission has the same";
  EXPECT_NE(check(hello().m1)->replay_id(), id);
}

TEST_F(DatagramHandshake, a_message_of_one_carrier_is_refused_on_the_other) {
  const TlsExporter connection = world.new_connection();
  const ByteVector stream_m1 =
      *open_front_stream(world.front.current(), connection, Direction::client_to_server,
                         world.hello(connection, world.by_psk()).m1);
  EXPECT_TRUE(check(stream_m1).error().is(kCarrierMismatch));
  const ByteVector datagram_m1 =
      seal_front_stream(world.front.current(), connection, Direction::client_to_server, hello().m1);
  EXPECT_TRUE(world.answer(connection, datagram_m1).error().is(kCarrierMismatch));
}

}  // namespace
}  // namespace karst::keys
