// What attackers try: in the middle, with a recording, with another's identity, with half the
// secrets, and from inside with all the keys that a client may have.
#include <gtest/gtest.h>

#include "keys/handshake_world_for_test.h"

namespace karst::keys {
namespace {

struct Attack : testing::Test {
  HandshakeWorld world;
  TlsExporter connection = world.new_connection();

  Attack() { world.register_client(); }

  ByteVector opened(Bytes sealed, Direction direction) {
    return *open_front_stream(world.front.current(), connection, direction, sealed);
  }
  ByteVector sealed(Bytes text, Direction direction) {
    return seal_front_stream(world.front.current(), connection, direction, text);
  }
  // M1 as someone who holds the front secret and sits inside the TLS connection may change it.
  ByteVector changed_m1(const ByteVector& m1, void (*change)(wire::M1&)) {
    wire::M1 value = *wire::parse_m1(opened(m1, Direction::client_to_server));
    change(value);
    return sealed(wire::format_m1(value), Direction::client_to_server);
  }
  template <class T>
  static const ErrorKind* error_of(const Result<T>& result) {
    return result ? nullptr : &result.error().kind();
  }
};

// ----------------------------------------------------------------- relay and replay

TEST_F(Attack, a_relay_between_two_tls_connections_gets_no_answer) {
  const TlsExporter to_server = world.new_connection();
  const ClientHello hello = world.hello(connection, world.by_psk());
  // Not even with a proof of the relay's own.
  EXPECT_EQ(error_of(world.answer(to_server, hello.m1)), &kFrontSealBroken);
  const std::string cookie =
      make_admission_cookie(world.front.current(), connection, kWorldAuthority, world.entropy);
  EXPECT_EQ(error_of(world.admit(to_server, cookie)), &kProofWrong);
}

TEST_F(Attack, a_relay_that_holds_the_front_secret_cannot_join_two_connections) {
  const TlsExporter to_server = world.new_connection();
  ClientHello hello = world.hello(connection, world.by_psk());
  const ByteVector m1 = opened(hello.m1, Direction::client_to_server);
  auto answer = world.answer(to_server, seal_front_stream(world.front.current(), to_server,
                                                          Direction::client_to_server, m1));
  ASSERT_TRUE(answer.ok());
  const ByteVector m2 =
      *open_front_stream(world.front.current(), to_server, Direction::server_to_client, answer->m2);
  const auto reply =
      std::move(hello.next).handle(sealed(m2, Direction::server_to_client), world.entropy);
  EXPECT_EQ(error_of(reply), &kHandshakeSealBroken);
}

TEST_F(Attack, a_recorded_m1_and_m3_are_worth_nothing_on_another_connection) {
  ClientHello hello = world.hello(connection, world.by_psk());
  ServerAnswer answer = *world.answer(connection, hello.m1);
  const ClientReply reply = *std::move(hello.next).handle(answer.m2, world.entropy);
  EXPECT_EQ(error_of(world.answer(world.new_connection(), hello.m1)), &kFrontSealBroken);
  // Even were the connection the same, the server's fresh keys make another transcript.
  ServerAnswer again = *world.answer(connection, hello.m1);
  EXPECT_EQ(
      error_of(std::move(again.next).handle(reply.m3, world.registry, kWorldNow, world.entropy)),
      &kHandshakeSealBroken);
}

TEST_F(Attack, an_answer_of_an_earlier_handshake_is_refused) {
  const ClientHello first = world.hello(connection, world.by_psk());
  const ByteVector recorded = world.answer(connection, first.m1)->m2;
  ClientHello second = world.hello(connection, world.by_psk());
  EXPECT_EQ(error_of(std::move(second.next).handle(recorded, world.entropy)),
            &kHandshakeSealBroken);
}

TEST_F(Attack, a_message_reflected_to_its_sender_is_refused) {
  ClientHello hello = world.hello(connection, world.by_psk());
  EXPECT_EQ(error_of(std::move(hello.next).handle(hello.m1, world.entropy)), &kFrontSealBroken);
}

// ---------------------------------------------------------------------- identities

TEST_F(Attack, another_server_with_the_front_secret_is_not_the_server) {
  const Identity imposter(generate_identity(world.entropy));
  ClientHello hello = world.hello(connection, world.by_psk());
  const ServerConfig config{&imposter, world.server_local, world.server_limits};
  auto answer =
      ServerAwaitM1(config, world.admitted(connection)).handle(hello.m1, kWorldNow).value();
  const ByteVector m2 =
      std::move(answer)
          .answer(*world.limiter.admit(IpAddress(), world.now), kWorldNow, world.entropy)
          ->m2;
  EXPECT_EQ(error_of(std::move(hello.next).handle(m2, world.entropy)), &kWrongServer);
}

TEST_F(Attack, a_client_cannot_present_another_clients_identity) {
  // Mallory is registered, knows Alice's PSK and public keys, and signs with her own.
  const Identity mallory(generate_identity(world.entropy));
  ClientConfig config = world.client_config();
  config.identity = &mallory;
  ClientHello hello = start_client(config, world.front.current().duplicate(), world.by_psk(),
                                   StreamBinding{connection.duplicate()}, world.entropy);
  ServerAnswer answer = *world.answer(connection, hello.m1);
  EXPECT_EQ(error_of(std::move(answer.next)
                         .handle(std::move(hello.next).handle(answer.m2, world.entropy)->m3,
                                 world.registry, kWorldNow, world.entropy)),
            &kClientUnknown);
}

TEST_F(Attack, neither_half_of_an_identity_counts_alone) {
  // Alice's Ed25519 key beside another ML-DSA key, and the other way round, are other identities.
  const Identity mallory(generate_identity(world.entropy));
  const auto& alice = world.client_identity.public_key();
  const crypto::HybridPublic mixed_a{alice.ed25519, mallory.public_key().ml_dsa};
  const crypto::HybridPublic mixed_b{mallory.public_key().ed25519, alice.ml_dsa};
  for (const auto& mixed : {mixed_a, mixed_b}) {
    EXPECT_EQ(error_of(world.registry.find(node_id(mixed), wire::PskGeneration::zero, kWorldNow)),
              &kClientUnknown);
  }
}

// ---------------------------------------------------------------------- downgrades

TEST_F(Attack, a_changed_m1_never_leads_to_shared_keys) {
  void (*const changes[])(wire::M1&) = {
      [](wire::M1& m1) { m1.rekey_window = 1; },
      [](wire::M1& m1) { m1.policy.bytes += 1; },
      [](wire::M1& m1) { m1.policy.frames += 1; },
      [](wire::M1& m1) { m1.policy.active_ms += 1; },
      [](wire::M1& m1) { m1.capabilities.aes = !m1.capabilities.aes; },
      [](wire::M1& m1) { m1.capabilities.fec = !m1.capabilities.fec; },
      [](wire::M1& m1) { m1.capabilities.stream_carrier = !m1.capabilities.stream_carrier; },
      [](wire::M1& m1) { m1.capabilities.datagram_carrier = !m1.capabilities.datagram_carrier; },
      [](wire::M1& m1) { m1.nonce[0] ^= 1; },
      [](wire::M1& m1) { m1.padding += 1; },
  };
  for (const auto& change : changes) {
    world.now += std::chrono::seconds(1);
    ClientHello hello = world.hello(connection, world.by_psk());
    auto answer = world.answer(connection, changed_m1(hello.m1, change));
    ASSERT_TRUE(answer.ok()) << (&change - changes);
    EXPECT_EQ(error_of(std::move(hello.next).handle(answer->m2, world.entropy)),
              &kHandshakeSealBroken)
        << (&change - changes);
  }
}

TEST_F(Attack, an_advertisement_below_the_floor_is_refused_by_either_side) {
  world.server_local.policy_floor = kBrisk;
  world.server_local.policy = kBrisk;
  const ClientHello low = world.hello(connection, world.by_psk());
  EXPECT_EQ(error_of(world.answer(connection, low.m1)), &kPolicyBelowFloor);

  world.server_local = world.client_local;
  world.client_local.policy_floor = kBrisk;
  world.client_local.policy = kBrisk;
  ClientHello high = world.hello(connection, world.by_psk());
  ServerAnswer answer = *world.answer(connection, high.m1);
  EXPECT_EQ(error_of(std::move(high.next).handle(answer.m2, world.entropy)), &kPolicyBelowFloor);
}

// ---------------------------------------------------------------- missing secrets

TEST_F(Attack, without_the_front_secret_there_is_no_answer) {
  const FrontSecret wrong = FrontSecret::random(world.entropy);
  EXPECT_EQ(
      error_of(world.admit(
          connection, make_admission_cookie(wrong, connection, kWorldAuthority, world.entropy))),
      &kProofWrong);
  const ClientHello hello = start_client(world.client_config(), wrong.duplicate(), world.by_psk(),
                                         StreamBinding{connection.duplicate()}, world.entropy);
  EXPECT_EQ(error_of(world.answer(connection, hello.m1)), &kFrontSealBroken);
}

TEST_F(Attack, without_the_psk_m3_passes_and_no_key_is_shared) {
  // Everything else is right: front secret, identity, signature. The server cannot tell from M3,
  // so it must not do anything for this client before a record has opened.
  const ClientPsk guessed = ClientPsk::random(world.entropy);
  auto pair = world.shake_hands(PskCredential{wire::PskGeneration::zero, guessed.duplicate()});
  ASSERT_TRUE(pair.ok());
  const LinkSecrets server = pair->server.take_secrets();
  const LinkSecrets& client = pair->client.secrets;
  EXPECT_FALSE(equal(client.client_to_server_root.expose(), server.client_to_server_root.expose()));
  EXPECT_FALSE(equal(client.server_to_client_root.expose(), server.server_to_client_root.expose()));
  EXPECT_FALSE(equal(client.psk_link.expose(), server.psk_link.expose()));
  EXPECT_FALSE(equal(client.resume_key.expose(), server.resume_key.expose()));
}

TEST_F(Attack, a_psk_of_the_wrong_generation_shares_no_key) {
  const auto id = world.invite("bob");
  const Identity bob(generate_identity(world.entropy));
  ClientConfig config = world.client_config();
  config.identity = &bob;
  ASSERT_TRUE(world.registry
                  .enrol(bob.node_id(), id,
                         std::make_shared<const ClientPsk>(ClientPsk::random(world.entropy)),
                         kWorldNow)
                  .ok());
  world.settle();
  // Whoever recorded the invite knows generation 0 and claims generation 1.
  ClientHello hello = start_client(config, world.front.current().duplicate(),
                                   world.by_psk(wire::PskGeneration::one),
                                   StreamBinding{connection.duplicate()}, world.entropy);
  ServerAnswer answer = *world.answer(connection, hello.m1);
  const ClientReply reply = *std::move(hello.next).handle(answer.m2, world.entropy);
  auto peer = std::move(answer.next).handle(reply.m3, world.registry, kWorldNow, world.entropy);
  ASSERT_TRUE(peer.ok());
  EXPECT_FALSE(same_secrets(reply.secrets, peer->take_secrets()));
}

// ----------------------------------------------------- invites, revocation, races

TEST_F(Attack, unknown_expired_spent_and_revoked_are_refused_and_named_for_the_log) {
  HandshakeWorld fresh;
  const auto refusal = [&](ClientCredential credential) {
    return error_of(fresh.shake_hands(std::move(credential)));
  };
  EXPECT_EQ(refusal(fresh.by_psk()), &kClientUnknown);
  EXPECT_EQ(refusal(fresh.by_invite({1, 2, 3})), &kInviteUnknown);

  const auto expiring = fresh.invite("late", 60);
  fresh.server_wall = {kWorldNow.seconds + 59};
  EXPECT_EQ(refusal(fresh.by_invite(expiring)), nullptr);
  fresh.server_wall = {kWorldNow.seconds + 60};
  EXPECT_EQ(refusal(fresh.by_invite(expiring)), &kInviteExpired);

  const auto spent = fresh.invite("taken");
  NodeId someone;
  ASSERT_TRUE(fresh.registry
                  .enrol(someone, spent, std::make_shared<const ClientPsk>(fresh.psk.duplicate()),
                         kWorldNow)
                  .ok());
  fresh.settle();
  EXPECT_EQ(refusal(fresh.by_invite(spent)), &kInviteSpent);

  ASSERT_TRUE(world.registry.revoke(world.client_identity.node_id()).ok());
  EXPECT_EQ(error_of(world.shake_hands(world.by_psk())), &kClientRevoked);
}

TEST_F(Attack, of_two_clients_with_one_invite_only_one_is_enrolled) {
  const auto id = world.invite("shared");
  std::vector<EnrolmentPending> pending;
  for (int i = 0; i < 2; ++i) {
    const Identity someone(generate_identity(world.entropy));
    ClientConfig config = world.client_config();
    config.identity = &someone;
    ClientHello hello = start_client(config, world.front.current().duplicate(), world.by_invite(id),
                                     StreamBinding{connection.duplicate()}, world.entropy);
    ServerAnswer answer = *world.answer(connection, hello.m1);
    const ClientReply reply = *std::move(hello.next).handle(answer.m2, world.entropy);
    ProvisionalPeer peer =
        *std::move(answer.next).handle(reply.m3, world.registry, kWorldNow, world.entropy);
    Confirmation confirmation = *std::move(peer).confirm(world.registry, kWorldNow);
    pending.push_back(std::move(std::get<EnrolmentPending>(confirmation)));
  }
  world.settle();
  EXPECT_TRUE(std::move(pending[0]).complete(*world.registry.poll_outcome()).ok());
  EXPECT_EQ(error_of(std::move(pending[1]).complete(*world.registry.poll_outcome())),
            &kInviteSpent);
}

TEST_F(Attack, a_client_revoked_between_m3_and_its_first_record_becomes_no_peer) {
  auto pair = world.shake_hands(world.by_psk());
  ASSERT_TRUE(world.registry.revoke(world.client_identity.node_id()).ok());
  EXPECT_EQ(error_of(std::move(pair->server).confirm(world.registry, kWorldNow)), &kClientRevoked);
}

TEST_F(Attack, a_link_whose_psk_was_replaced_meanwhile_becomes_no_peer) {
  HandshakeWorld fresh;
  const auto id = fresh.invite();
  const auto enrol = [&] {
    auto pair = fresh.shake_hands(fresh.by_invite(id));
    const auto session =
        std::move(pair->client.next).handle(pair->server.ok_record({}, {}, fresh.entropy));
    CHECK(std::move(pair->server).confirm(fresh.registry, kWorldNow).ok());
    fresh.settle();
    return session->enrolled_psk->duplicate();
  };
  auto stale = fresh.shake_hands(PskCredential{wire::PskGeneration::one, enrol()});
  ASSERT_TRUE(stale.ok());
  enrol();
  EXPECT_EQ(error_of(std::move(stale->server).confirm(fresh.registry, kWorldNow)),
            &kPskGenerationUnknown);
  EXPECT_NE(fresh.registry.clients().at(fresh.client_identity.node_id()).generation_0, nullptr);
}

}  // namespace
}  // namespace karst::keys
