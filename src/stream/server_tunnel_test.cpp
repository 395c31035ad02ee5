#include "stream/server_tunnel.h"

#include <gtest/gtest.h>

#include "stream/connection_pair_for_test.h"

namespace karst::stream {
namespace {

constexpr UnixTime kWall{1'750'000'000};
constexpr std::string_view kAuthority = "cover.example";

// The server's end of one WebSocket and what a client at the other end needs.
struct Socket {
  explicit Socket(ServerForTest& parts)
      : server(parts),
        exporter(keys::TlsExporter::random(parts.entropy)),
        tunnel(parts.shared.link, access(), IpAddress::v4({192, 0, 2, 1})) {}

  keys::StreamAccess access() {
    const std::string cookie =
        keys::make_admission_cookie(server.front.current(), exporter, kAuthority, server.entropy);
    return *keys::AdmissionGate(exporter.duplicate())
                .admit(cookie, kAuthority, server.front, kWall);
  }
  ByteVector message(Bytes payload) {
    ByteVector frame(encoder.frame_bytes(payload.size()));
    encoder.encode(websocket::Opcode::binary, payload, frame);
    return frame;
  }
  Result<ServerTunnel::Verdict> give(Bytes bytes) {
    return tunnel.handle_bytes(bytes, kStart, kWall);
  }

  ServerForTest& server;
  keys::TlsExporter exporter;
  websocket::Encoder encoder{websocket::Role::client, Prng(1)};
  ServerTunnel tunnel;
};

ByteVector take_all(TunnelBody& body) {
  body.set_now(kStart);
  ByteVector out;
  while (const std::size_t size = body.next(SIZE_MAX).bytes) {
    const std::size_t start = out.size();
    out.resize(start + size);
    body.write(MutableBytes(out).subspan(start));
  }
  return out;
}

ByteVector m1_record(Entropy& entropy, std::size_t size) {
  wire::M1 m1;
  m1.x25519 = crypto::X25519KeyPair::generate(entropy).public_key();
  m1.ml_kem = crypto::MlKemKeyPair::generate(entropy).public_key();
  m1.rekey_window = 1;
  m1.policy = keys::to_wire(keys::kExtreme);
  m1.padding = size - wire::format_m1(m1).size();
  return wire::format_m1(m1);
}

TEST(ServerTunnel, takes_an_m1_of_the_largest_size_and_no_larger_one) {
  ServerForTest parts;
  for (const std::size_t size : {wire::kM1BytesMax, wire::kM1BytesMax + 1}) {
    Socket socket(parts);
    const ByteVector m1 =
        keys::seal_front_stream(parts.front.current(), socket.exporter,
                                keys::Direction::client_to_server, m1_record(parts.entropy, size));
    const auto verdict = socket.give(socket.message(m1));
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(*verdict, size == wire::kM1BytesMax ? ServerTunnel::Verdict::tunnel
                                                  : ServerTunnel::Verdict::not_a_tunnel);
  }
}

TEST(ServerTunnel, holds_no_early_message_that_is_too_short_for_a_record) {
  ServerForTest parts;
  ClientForTest bob(parts, 9);
  const wire::InviteId id{1, 2, 3};
  auto psk = keys::ClientPsk::random(parts.entropy);
  const UnixTime expiry{kWall.seconds + 60};
  ASSERT_TRUE(parts.registry.add_invite(id, "bob", psk.duplicate(), expiry, {}).ok());
  parts.store_registry();
  Socket socket(parts);
  ClientTunnel client(bob.config.link, parts.front.current().duplicate(),
                      keys::InviteCredential{id, std::move(psk)}, socket.exporter.duplicate());
  ASSERT_TRUE(socket.give(take_all(client.body())).ok());
  ASSERT_TRUE(client.handle_bytes(take_all(socket.tunnel.body()), kStart).ok());
  ASSERT_TRUE(socket.give(take_all(client.body())).ok());
  ASSERT_TRUE(socket.tunnel.holding());
  EXPECT_TRUE(socket.give(socket.message(ByteVector(record::kRecordOverheadBytes))).ok());
  const auto held = socket.give(socket.message(ByteVector(record::kRecordOverheadBytes - 1)));
  ASSERT_FALSE(held.ok());
  EXPECT_TRUE(held.error().is(record::kRecordLength));
}

}  // namespace
}  // namespace karst::stream
