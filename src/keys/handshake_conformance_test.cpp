// Each side of the handshake, written a second time by hand from docs/protocol/session.md and with
// raw OpenSSL, completes with the other side of ours and ends with the same secrets. So the page is
// enough to write a peer from, and every derivation is what it says.
#include <gtest/gtest.h>

#include "keys/handshake_by_hand_for_test.h"

namespace karst::keys {
namespace {

using by_hand::RawRecord;

TEST(Conformance, a_client_written_by_hand_completes_with_our_server) {
  HandshakeWorld world;
  by_hand::Client client(world);
  const wire::InviteId invite = world.invite();
  auto access = world.admit(client.connection, client.cookie());
  ASSERT_TRUE(access.ok());
  auto checked =
      ServerAwaitM1(world.server_config(), std::move(*access)).handle(client.m1(), kWorldNow);
  ASSERT_TRUE(checked.ok()) << checked.error().kind().name;
  auto answer = std::move(*checked).answer(*world.limiter.admit(IpAddress(), world.now), kWorldNow,
                                           world.entropy);
  ASSERT_TRUE(answer.ok());
  const ByteVector sealed = client.read_m2(answer->m2);
  EXPECT_TRUE(client.verifies(sealed, by_hand::kServerLabel));
  EXPECT_TRUE(equal(by_hand::ref::sha256(RawRecord(sealed).at(1).value),
                    world.server_identity.node_id().bytes));
  client.add(sealed);
  auto peer =
      std::move(answer->next)
          .handle(client.m3(client.m3_by_invite(invite)), world.registry, kWorldNow, world.entropy);
  ASSERT_TRUE(peer.ok()) << peer.error().kind().name;
  EXPECT_EQ(peer->node_id(), client.node());
  EXPECT_EQ(peer->parameters().rekey_window, 100);
  EXPECT_TRUE(client.has_same(peer->take_secrets()));
  EXPECT_TRUE(equal(peer->transcript(), by_hand::ref::sha256(client.transcript)));

  // Enrolment leaves the PSK that the page says.
  ASSERT_TRUE(std::move(*peer).confirm(world.registry, kWorldNow).ok());
  world.settle();
  EXPECT_TRUE(equal(world.registry.clients().at(client.node()).generation_1->expose(),
                    by_hand::ref::expand(client.root(), "karst/1 enrolled psk")));
}

TEST(Conformance, a_server_written_by_hand_completes_with_our_client) {
  HandshakeWorld world;
  by_hand::Server server(world);
  ClientHello hello = server.hello(world.by_psk());
  auto reply = std::move(hello.next).handle(server.m2(hello.m1), world.entropy);
  ASSERT_TRUE(reply.ok()) << reply.error().kind().name;
  const ByteVector m3 = server.read_m3(reply->m3);
  EXPECT_TRUE(server.verifies(m3, by_hand::kClientLabel));
  server.add(m3);
  EXPECT_TRUE(server.has_same(reply->secrets));
  EXPECT_EQ(reply->server_time, kWorldNow);

  const auto session = std::move(reply->next).handle(server.ok().bytes());
  ASSERT_TRUE(session.ok()) << session.error().kind().name;
  EXPECT_EQ(session->server_limits, (wire::ServerLimits{9, 60}));
  EXPECT_EQ(session->ipv4->address, IpAddress::v4({10, 7, 0, 2}));
}

TEST(Conformance, fields_that_we_do_not_know_are_in_the_transcript) {
  HandshakeWorld world;
  by_hand::Client client(world);
  const wire::InviteId invite = world.invite();
  const auto add_unknown = [](RawRecord& record) { record.insert({0, 77, {1, 2, 3}}); };
  auto answer = world.answer(client.connection, client.m1(add_unknown));
  ASSERT_TRUE(answer.ok());
  client.add(client.read_m2(answer->m2));
  RawRecord m3 = client.m3_by_invite(invite);
  add_unknown(m3);
  auto peer = std::move(answer->next)
                  .handle(client.m3(std::move(m3)), world.registry, kWorldNow, world.entropy);
  ASSERT_TRUE(peer.ok()) << peer.error().kind().name;
  EXPECT_TRUE(client.has_same(peer->take_secrets()));
}

}  // namespace
}  // namespace karst::keys
