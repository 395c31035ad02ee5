#include <gtest/gtest.h>

#include "keys/handshake_world_for_test.h"

namespace karst::keys {
namespace {

TEST(Handshake, both_sides_end_with_the_same_secrets_and_parameters) {
  HandshakeWorld world;
  world.register_client();
  world.client_local.rekey_window = 100;
  world.server_local.policy = kBrisk;
  world.server_limits = {77, 9};

  auto pair = world.shake_hands(world.by_psk());
  ASSERT_TRUE(pair.ok()) << pair.error().kind().name;
  EXPECT_TRUE(same_secrets(pair->client.secrets, pair->server.take_secrets()));
  EXPECT_EQ(pair->client.transcript, pair->server.transcript());
  EXPECT_EQ(pair->server.node_id(), world.client_identity.node_id());
  EXPECT_EQ(pair->server.name(), "alice");
  for (const LinkParameters& parameters : {pair->client.parameters, pair->server.parameters()}) {
    EXPECT_EQ(parameters.rekey_window, 100);
    EXPECT_EQ(parameters.policy, kExtreme);
    EXPECT_EQ(parameters.aead, crypto::AeadKind::aes_256_gcm);
    EXPECT_EQ(parameters.carrier, Carrier::stream);
  }
  EXPECT_EQ(pair->client.server_time, kWorldNow);
}

}  // namespace
}  // namespace karst::keys
