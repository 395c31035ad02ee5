#include "stream/server_tunnel.h"

#include <gtest/gtest.h>

#include "stream/client_tunnel.h"
#include "stream/connection_pair_for_test.h"

namespace karst::stream {
namespace {

constexpr UnixTime kWall{1'750'000'000};
constexpr std::string_view kAuthority = "cover.example";

// The server's end of one WebSocket and what a client at the other end needs.
struct Socket {
  explicit Socket(ServerForTest& parts) : Socket(parts, parts.shared.link) {}
  Socket(ServerForTest& parts, const ServerLinkConfig& config)
      : server(parts),
        exporter(keys::TlsExporter::random(parts.entropy)),
        tunnel(config, access(), IpAddress::v4({192, 0, 2, 1})) {}

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

// The next frame, or nothing.
ByteVector take_one(TunnelBody& body) {
  body.set_now(kStart);
  ByteVector out(body.next(SIZE_MAX).bytes);
  if (!out.empty()) body.write(out);
  return out;
}

ByteVector take_all(TunnelBody& body) {
  ByteVector out;
  for (ByteVector frame = take_one(body); !frame.empty(); frame = take_one(body)) {
    out.insert(out.end(), frame.begin(), frame.end());
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

TEST(ClientTunnel, after_an_error_every_call_gives_the_same_error) {
  ServerForTest parts;
  ClientForTest alice(parts, 9);
  Socket socket(parts);
  ClientTunnel client(alice.config.link, parts.front.current().duplicate(),
                      keys::PskCredential{wire::PskGeneration::one, keys::ClientPsk()},
                      socket.exporter.duplicate());
  // Messages of a server: not masked.
  const auto message = [](websocket::Opcode opcode) {
    websocket::Encoder encoder(websocket::Role::server, Prng(1));
    ByteVector frame(encoder.frame_bytes(3));
    encoder.encode(opcode, as_bytes("bad"), frame);
    return frame;
  };
  const auto first = client.handle_bytes(message(websocket::Opcode::binary), kStart);
  ASSERT_FALSE(first.ok());
  for (const auto opcode : {websocket::Opcode::binary, websocket::Opcode::text}) {
    const auto again = client.handle_bytes(message(opcode), kStart);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(&again.error().kind(), &first.error().kind());
  }
}

// The server's end of a tunnel whose client is enrolled as soon as the disk has it.
struct Enrolling {
  Enrolling()
      : socket(parts),
        client(bob.config.link, parts.front.current().duplicate(), invited(),
               socket.exporter.duplicate()) {
    EXPECT_TRUE(socket.give(take_all(client.body())).ok());
    EXPECT_TRUE(client.handle_bytes(take_all(socket.tunnel.body()), kStart).ok());
    // M3 and the first record, and nothing behind them.
    while (!socket.tunnel.holding()) EXPECT_TRUE(socket.give(take_one(client.body())).ok());
  }
  keys::InviteCredential invited() {
    const wire::InviteId id{1, 2, 3};
    auto psk = keys::ClientPsk::random(parts.entropy);
    const UnixTime expiry{kWall.seconds + 60};
    EXPECT_TRUE(parts.registry.add_invite(id, "bob", psk.duplicate(), expiry, {}).ok());
    parts.store_registry();
    return {id, std::move(psk)};
  }

  ServerForTest parts;
  ClientForTest bob{parts, 9};
  Socket socket;
  ClientTunnel client;
};

TEST(ServerTunnel, holds_no_early_message_that_is_too_short_for_a_record) {
  Enrolling pair;
  EXPECT_TRUE(pair.socket.give(pair.socket.message(ByteVector(record::kRecordOverheadBytes))).ok());
  const auto held =
      pair.socket.give(pair.socket.message(ByteVector(record::kRecordOverheadBytes - 1)));
  ASSERT_FALSE(held.ok());
  EXPECT_TRUE(held.error().is(record::kRecordLength));
}

TEST(ServerTunnel, early_data_beyond_64_kib_ends_the_tunnel) {
  Enrolling pair;
  for (int piece = 0; piece < 8; ++piece) {
    EXPECT_TRUE(pair.socket.give(pair.socket.message(ByteVector(8'192))).ok()) << piece;
  }
  const auto beyond = pair.socket.give(pair.socket.message(ByteVector(100)));
  ASSERT_FALSE(beyond.ok());
  EXPECT_TRUE(beyond.error().is(kEarlyDataTooLong));
}

TEST(ServerTunnel, a_hello_beyond_the_rate_limit_gets_no_answer) {
  ServerForTest parts;
  ClientForTest alice(parts);
  keys::HandshakeLimiter one_per_second(1);
  ServerLinkConfig config = parts.shared.link;
  config.handshakes = &one_per_second;
  const auto verdict = [&](Socket& socket) {
    ClientTunnel client(alice.config.link, parts.front.current().duplicate(), keys::PskCredential{},
                        socket.exporter.duplicate());
    return socket.give(take_all(client.body())).value();
  };
  Socket first(parts, config), second(parts, config);
  EXPECT_EQ(verdict(first), ServerTunnel::Verdict::tunnel);
  EXPECT_EQ(verdict(second), ServerTunnel::Verdict::not_a_tunnel);
  EXPECT_TRUE(second.tunnel.refusal()->is(keys::kRateLimited));
  EXPECT_TRUE(take_all(second.tunnel.body()).empty());
}

}  // namespace
}  // namespace karst::stream
