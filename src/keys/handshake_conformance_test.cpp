// Each side of the handshake written a second time, by hand from docs/protocol/session.md and with
// raw OpenSSL, completes with the other side of ours and ends with the same secrets. So the page is
// enough to write a peer from, and every derivation is what it says.
#include <gtest/gtest.h>

#include "crypto/base64.h"
#include "crypto/reference_for_test.h"
#include "keys/handshake_world_for_test.h"
#include "wire/test_record.h"

namespace karst::keys {
namespace {

namespace ref = crypto::reference;
using ref::join;
using ref::lp;
using wire::RawRecord;

const ByteVector kSuite = {0, 1};
const ByteVector kWindow = {0, 100};
// 262,144 bytes, 512 frames, 500 ms.
const ByteVector kPolicy = {0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 1, 0xf4};
const ByteVector kCapabilities = {0, 0, 0, 0b0101};

struct ByHand {
  explicit ByHand(HandshakeWorld& w) : world(w), connection(w.new_connection()) {
    exporter = to_vector(connection.expose());
    front = to_vector(w.front.current().expose());
    transcript = join({lp(as_bytes("karst/1")), ByteVector{1}, lp(exporter)});
  }

  ByteVector front_key(std::uint8_t direction) const {
    return ref::expand(ref::extract(exporter, {front}), "karst/1 stream front seal",
                       ByteVector{direction});
  }
  ByteVector identity() const { return join({ed25519.public_key(), ml_dsa.public_key()}); }
  NodeId node() const {
    NodeId id;
    copy_bytes(id.bytes, ref::sha256(identity()));
    return id;
  }
  ByteVector signature(std::string_view label, Bytes before) const {
    const ByteVector message =
        join({as_bytes(label), ByteVector{0}, ref::sha256(join({transcript, before}))});
    return join({ed25519.sign(message), ml_dsa.sign(message)});
  }
  // The record with its signature field filled in.
  ByteVector signed_record(RawRecord record, std::string_view label) const {
    record.insert({1, 255, ByteVector(3373)});
    ByteVector bytes = record.bytes();
    const Bytes before = Bytes(bytes).first(bytes.size() - 3379);
    copy_bytes(MutableBytes(bytes).last(3373), signature(label, before));
    return bytes;
  }
  bool verifies(Bytes record, std::string_view label) const {
    const Bytes before = record.first(record.size() - 3379);
    const ByteVector message =
        join({as_bytes(label), ByteVector{0}, ref::sha256(join({transcript, before}))});
    const ByteVector who = RawRecord(record).at(1).value;
    return ref::verify("ED25519", Bytes(who).first(32), message, record.last(3373).first(64)) &&
           ref::verify("ML-DSA-65", Bytes(who).subspan(32), message, record.last(3309));
  }
  void agree(Bytes ml_kem_shared, Bytes x25519_shared) {
    hs = ref::extract(ref::sha256(transcript),
                      {ml_kem_shared, x25519_shared, ref::expand(front, "karst/1 front key")});
  }
  // root_0 once the whole transcript is there.
  ByteVector root() const {
    const ByteVector t3 = ref::sha256(transcript);
    const ByteVector psk_link =
        ref::expand(ref::extract(t3, {world.psk.expose()}), "karst/1 psk link");
    return ref::extract(hs, {psk_link, exporter, t3});
  }
  void expect_same(const LinkSecrets& secrets) const {
    EXPECT_TRUE(equal(secrets.client_to_server_root.expose(),
                      ref::expand(root(), "karst/1 client to server root")));
    EXPECT_TRUE(equal(secrets.server_to_client_root.expose(),
                      ref::expand(root(), "karst/1 server to client root")));
    EXPECT_TRUE(equal(secrets.resume_key.expose(), ref::expand(root(), "karst/1 resume")));
  }

  HandshakeWorld& world;
  TlsExporter connection;
  ref::Key x25519{"X25519"}, ml_kem{"ML-KEM-1024"}, ed25519{"ED25519"}, ml_dsa{"ML-DSA-65"};
  ByteVector exporter, front, transcript, hs;
};

TEST(Conformance, a_client_written_by_hand_completes_with_our_server) {
  HandshakeWorld world;
  ByHand client(world);
  const wire::InviteId invite = world.invite();

  const ByteVector random = ByteVector(16, 0x42);
  const ByteVector proof =
      join({random, ref::hmac(client.front, join({as_bytes("karst/1 admission"), client.exporter,
                                                  lp(as_bytes(kWorldAuthority)), random}))});
  auto access = world.admit(client.connection, "sid=" + crypto::base64url(proof));
  ASSERT_TRUE(access.ok());

  const ByteVector m1 = RawRecord(1, {{1, 1, kSuite},
                                      {1, 2, ByteVector(32, 7)},
                                      {1, 3, {1}},
                                      {1, 6, client.x25519.public_key()},
                                      {1, 7, client.ml_kem.public_key()},
                                      {1, 8, kWindow},
                                      {1, 9, kPolicy},
                                      {1, 10, kCapabilities},
                                      {0, 254, ByteVector(33)}})
                            .bytes();
  client.transcript = join({client.transcript, m1});
  auto checked = ServerAwaitM1(world.server_config(), std::move(*access))
                     .handle(ref::seal(client.front_key(1), m1), kWorldNow);
  ASSERT_TRUE(checked.ok()) << checked.error().kind().name;
  auto answer = std::move(*checked).answer(*world.limiter.admit(IpAddress(), world.now), kWorldNow,
                                           world.entropy);
  ASSERT_TRUE(answer.ok());

  const ByteVector m2 = ref::open(client.front_key(2), answer->m2).value();
  const Bytes clear = Bytes(m2).first(3 + 6 + 32 + 6 + 1568);
  client.transcript = join({client.transcript, clear});
  RawRecord m2_clear{clear};
  client.agree(client.ml_kem.decapsulate(m2_clear.at(2).value),
               client.x25519.agree(m2_clear.at(1).value));
  const ByteVector sealed = ref::open(ref::expand(client.hs, "karst/1 server handshake key"),
                                      Bytes(m2).subspan(clear.size()))
                                .value();
  EXPECT_TRUE(client.verifies(sealed, "karst/1 server signature"));
  EXPECT_TRUE(
      equal(ref::sha256(RawRecord(sealed).at(1).value), world.server_identity.node_id().bytes));
  client.transcript = join({client.transcript, sealed});

  const ByteVector m3 = client.signed_record(
      RawRecord(4, {{1, 1, client.identity()}, {1, 3, to_vector(invite)}, {0, 254, {}}}),
      "karst/1 client signature");
  client.transcript = join({client.transcript, m3});
  auto peer = std::move(answer->next)
                  .handle(ref::seal(ref::expand(client.hs, "karst/1 client handshake key"), m3),
                          world.registry, kWorldNow, world.entropy);
  ASSERT_TRUE(peer.ok()) << peer.error().kind().name;
  EXPECT_EQ(peer->node_id(), client.node());
  EXPECT_EQ(peer->parameters().rekey_window, 100);
  client.expect_same(peer->take_secrets());
  EXPECT_TRUE(equal(peer->transcript(), ref::sha256(client.transcript)));

  // Enrolment leaves the PSK that the page says.
  ASSERT_TRUE(std::move(*peer).confirm(world.registry, kWorldNow).ok());
  world.settle();
  EXPECT_TRUE(equal(world.registry.clients().at(client.node()).generation_1->expose(),
                    ref::expand(client.root(), "karst/1 enrolled psk")));
}

TEST(Conformance, a_server_written_by_hand_completes_with_our_client) {
  HandshakeWorld world;
  ByHand server(world);
  ClientConfig config = world.client_config();
  config.server = server.node();
  ClientHello hello = start_client(config, world.front.current().duplicate(), world.by_psk(),
                                   StreamBinding{server.connection.duplicate()}, world.entropy);

  const ByteVector m1 = ref::open(server.front_key(1), hello.m1).value();
  server.transcript = join({server.transcript, m1});
  const auto [ciphertext, ml_kem_shared] = ref::encapsulate(RawRecord(m1).at(7).value);
  const ByteVector clear =
      RawRecord(2, {{1, 1, server.x25519.public_key()}, {1, 2, ciphertext}}).bytes();
  server.transcript = join({server.transcript, clear});
  server.agree(ml_kem_shared, server.x25519.agree(RawRecord(m1).at(6).value));
  const ByteVector sealed =
      server.signed_record(RawRecord(3, {{1, 1, server.identity()},
                                         {1, 3, {0, 0, 0, 0, 0x6b, 0x49, 0xd2, 0}},
                                         {1, 4, kWindow},
                                         {1, 5, kPolicy},
                                         {1, 6, kCapabilities},
                                         {1, 7, {1}},
                                         {1, 8, {0, 0, 0, 9, 0, 0, 0, 60}},
                                         {0, 254, ByteVector(5)}}),
                           "karst/1 server signature");
  server.transcript = join({server.transcript, sealed});
  const ByteVector m2 = ref::seal(
      server.front_key(2),
      join({clear, ref::seal(ref::expand(server.hs, "karst/1 server handshake key"), sealed)}));
  auto reply = std::move(hello.next).handle(m2, world.entropy);
  ASSERT_TRUE(reply.ok()) << reply.error().kind().name;

  const ByteVector m3 =
      ref::open(ref::expand(server.hs, "karst/1 client handshake key"), reply->m3).value();
  EXPECT_TRUE(server.verifies(m3, "karst/1 client signature"));
  server.transcript = join({server.transcript, m3});
  server.expect_same(reply->secrets);
  EXPECT_EQ(reply->server_time, kWorldNow);

  const ByteVector ok = RawRecord(5, {{1, 1, kWindow},
                                      {1, 2, kPolicy},
                                      {1, 3, {1}},
                                      {1, 4, ByteVector(12)},
                                      {1, 5, {10, 7, 0, 2, 24}},
                                      {1, 7, ByteVector(16, 3)},
                                      {0, 254, {}}})
                            .bytes();
  const auto session = std::move(reply->next).handle(ok);
  ASSERT_TRUE(session.ok()) << session.error().kind().name;
  EXPECT_EQ(session->server_limits, (wire::ServerLimits{9, 60}));
  EXPECT_EQ(session->ipv4->address, IpAddress::v4({10, 7, 0, 2}));
}

}  // namespace
}  // namespace karst::keys
