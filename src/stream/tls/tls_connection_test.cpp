#include "stream/tls/tls_connection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/prng.h"
#include "stream/tls/tls_pair.h"

namespace karst::stream::tls {
namespace {

ByteVector random_bytes(std::size_t count, std::uint64_t seed) {
  ByteVector bytes(count);
  Prng(seed).fill(bytes);
  return bytes;
}

ByteVector take_output(TlsConnection& connection) {
  ByteVector all;
  while (!connection.output().empty()) {
    const Bytes run = connection.output();
    all.insert(all.end(), run.begin(), run.end());
    connection.consume_output(run.size());
  }
  return all;
}

// How a client that believes `trust` fares with a server that shows `certificate`.
std::optional<Error> outcome(const ClientConfig& config, const SelfSigned& certificate,
                             UnixTime now) {
  const TlsContext server_side = server_context(certificate);
  auto client_side = TlsContext::client(config);
  CHECK(client_side.ok());
  TlsConnection client(*client_side, now);
  TlsConnection server(server_side, now);
  carry_both_ways(client, server);
  EXPECT_EQ(client.handshake_done(), !client.error().has_value());
  EXPECT_EQ(server.handshake_done(), !client.error().has_value());
  return client.error();
}

TEST(TlsConnection, both_ends_agree_on_group_cipher_protocol_and_exporter) {
  TlsPair pair;
  ASSERT_TRUE(pair.client.handshake_done());
  ASSERT_TRUE(pair.server.handshake_done());
  EXPECT_EQ(pair.client.group(), "X25519MLKEM768");
  EXPECT_EQ(pair.server.group(), "X25519MLKEM768");
  EXPECT_EQ(pair.client.cipher(), "TLS_AES_128_GCM_SHA256");
  EXPECT_EQ(pair.client.alpn(), Alpn::h2);
  EXPECT_EQ(pair.server.alpn(), Alpn::h2);
  const Exporter a = pair.client.exporter("EXPORTER-test");
  const Exporter b = pair.server.exporter("EXPORTER-test");
  const Exporter other_label = pair.client.exporter("EXPORTER-other");
  TlsPair other;
  const Exporter other_connection = other.client.exporter("EXPORTER-test");
  EXPECT_TRUE(equal(a.expose(), b.expose()));
  EXPECT_FALSE(equal(a.expose(), other_label.expose()));
  EXPECT_FALSE(equal(a.expose(), other_connection.expose()));
}

TEST(TlsConnection, a_pinned_key_is_believed_whatever_the_date_and_the_name) {
  const SelfSigned certificate = test_certificate();
  const auto pin = *spki_pin(certificate.certificate_pem);
  for (const std::int64_t seconds : {std::int64_t{0}, kTestNow.seconds, kTestAfter.seconds * 2}) {
    for (const char* name : {"", "other.example", "192.0.2.1"}) {
      EXPECT_FALSE(outcome({PinnedKey{pin}, name}, certificate, UnixTime{seconds})) << name;
    }
  }
}

TEST(TlsConnection, a_wrong_pin_ends_the_handshake_by_name) {
  const SelfSigned certificate = test_certificate();
  auto pin = *spki_pin(certificate.certificate_pem);
  pin[31] ^= 1;
  const auto error = outcome({PinnedKey{pin}, "site.example"}, certificate, kTestNow);
  ASSERT_TRUE(error);
  EXPECT_TRUE(error->is(kPinMismatch));
}

TEST(TlsConnection, a_public_certificate_is_checked_for_issuer_dates_and_name) {
  const std::string names[] = {"site.example", "192.0.2.7"};
  const SelfSigned site = make_self_signed(names, kTestBefore, kTestAfter);
  const SelfSigned stranger = test_certificate();
  struct Case {
    const SelfSigned& authority;
    std::string name;
    UnixTime now;
    const ErrorKind* expected;
  };
  const Case cases[] = {
      {site, "site.example", kTestNow, nullptr},
      {site, "SITE.example", kTestNow, nullptr},
      {site, "192.0.2.7", kTestNow, nullptr},
      {site, "192.0.2.8", kTestNow, &kWrongHost},
      {site, "other.example", kTestNow, &kWrongHost},
      {stranger, "site.example", kTestNow, &kUntrustedCertificate},
      {site, "site.example", kTestBefore, nullptr},
      {site, "site.example", UnixTime{kTestBefore.seconds - 1}, &kCertificateDates},
      {site, "site.example", UnixTime{kTestAfter.seconds - 1}, nullptr},
      {site, "site.example", kTestAfter, &kCertificateDates},
  };
  for (const Case& c : cases) {
    const auto error = outcome({PublicTrust{c.authority.certificate_pem}, c.name}, site, c.now);
    ASSERT_EQ(error.has_value(), c.expected != nullptr) << c.name << " " << c.now.seconds;
    if (error) {
      EXPECT_TRUE(error->is(*c.expected)) << error->kind().name;
    }
  }
}

TEST(TlsConnection, the_error_about_dates_speaks_of_the_clock) {
  EXPECT_NE(kCertificateDates.text.find("clock"), std::string_view::npos);
}

TEST(TlsConnection, the_server_learns_the_alert_of_a_client_that_does_not_believe_it) {
  const SelfSigned certificate = test_certificate();
  const TlsContext server_side = server_context(certificate);
  const TlsContext client_side = pinned_context(test_certificate());
  TlsConnection client(client_side, kTestNow);
  TlsConnection server(server_side, kTestNow);
  carry_both_ways(client, server);
  ASSERT_TRUE(server.error());
  EXPECT_TRUE(server.error()->is(kAlertReceived));
  EXPECT_EQ(server.error()->detail(), 42);
  EXPECT_EQ(alert_name(server.error()->detail()), "bad certificate");
}

TEST(TlsConnection, a_handshake_costs_one_round_trip_and_leaves_no_tickets) {
  const SelfSigned certificate = test_certificate();
  const TlsContext server_side = server_context(certificate);
  const TlsContext client_side = pinned_context(certificate);
  TlsConnection client(client_side, kTestNow);
  TlsConnection server(server_side, kTestNow);
  EXPECT_TRUE(carry(client, server));
  EXPECT_TRUE(carry(server, client));
  EXPECT_TRUE(client.handshake_done());
  EXPECT_TRUE(carry(client, server));
  EXPECT_TRUE(server.handshake_done());
  EXPECT_TRUE(server.output().empty());
}

TEST(TlsConnection, data_of_any_size_arrives_unchanged_in_both_directions) {
  TlsPair pair;
  for (const std::size_t size : {1u, 2u, 16'383u, 16'384u, 16'385u, 100'000u}) {
    const ByteVector up = random_bytes(size, size);
    const ByteVector down = random_bytes(size, size + 1);
    ASSERT_TRUE(pair.client.write(up).ok());
    ASSERT_TRUE(pair.server.write(down).ok());
    carry_both_ways(pair.client, pair.server);
    EXPECT_EQ(read_all(pair.server), up);
    EXPECT_EQ(read_all(pair.client), down);
  }
}

TEST(TlsConnection, a_write_of_16384_bytes_is_exactly_one_record) {
  TlsPair pair;
  const ByteVector full(kRecordBytes);
  ASSERT_TRUE(pair.client.write(full).ok());
  const ByteVector sent = take_output(pair.client);
  ASSERT_EQ(sent.size(), 16'406u);
  const ByteVector head(sent.begin(), sent.begin() + 5);
  EXPECT_EQ(head, (ByteVector{0x17, 0x03, 0x03, 0x40, 0x11}));
  ASSERT_TRUE(pair.client.write(ByteVector(3 * kRecordBytes + 1)).ok());
  EXPECT_EQ(pair.client.output_bytes(), 3u * 16'406 + 22 + 1);
}

TEST(TlsConnection, reading_gives_one_record_at_most_and_nothing_the_second_time) {
  TlsPair pair;
  ASSERT_TRUE(pair.client.write(as_bytes("one")).ok());
  ASSERT_TRUE(pair.client.write(as_bytes("two")).ok());
  carry(pair.client, pair.server);
  ByteVector space(100);
  EXPECT_EQ(*pair.server.read(space), 3u);
  EXPECT_EQ(*pair.server.read(MutableBytes(space).first(1)), 1u);
  EXPECT_EQ(*pair.server.read(space), 2u);
  EXPECT_EQ(*pair.server.read(space), 0u);
  EXPECT_EQ(*pair.server.read(space), 0u);
  EXPECT_TRUE(pair.client.output().empty());
}

TEST(TlsConnection, how_the_input_is_cut_changes_nothing) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    TlsPair pair;
    Prng prng(seed);
    const ByteVector sent = random_bytes(70'000, seed);
    for (Bytes rest = sent; !rest.empty();) {
      const std::size_t part = std::min<std::size_t>(rest.size(), 1 + prng.below(20'000));
      ASSERT_TRUE(pair.client.write(rest.first(part)).ok());
      rest = rest.subspan(part);
    }
    const ByteVector wire = take_output(pair.client);
    ByteVector received;
    for (Bytes rest = wire; !rest.empty();) {
      std::size_t part = std::min<std::size_t>(rest.size(), 1 + prng.below(4'000));
      if (prng.chance(1, 2)) {
        ASSERT_TRUE(pair.server.feed(rest.first(part)).ok());
      } else {
        const MutableBytes space = pair.server.input_space();
        part = std::min(part, space.size());
        copy_bytes(space, rest.first(part));
        ASSERT_TRUE(pair.server.commit_input(part).ok());
      }
      rest = rest.subspan(part);
      const ByteVector some = read_all(pair.server);
      received.insert(received.end(), some.begin(), some.end());
    }
    EXPECT_EQ(received, sent);
  }
}

TEST(TlsConnection, a_handshake_byte_by_byte_succeeds) {
  const SelfSigned certificate = test_certificate();
  const TlsContext server_side = server_context(certificate);
  const TlsContext client_side = pinned_context(certificate);
  TlsConnection client(client_side, kTestNow);
  TlsConnection server(server_side, kTestNow);
  for (int flight = 0; flight < 3; ++flight) {
    TlsConnection& from = flight % 2 == 0 ? client : server;
    TlsConnection& to = flight % 2 == 0 ? server : client;
    for (const std::uint8_t byte : take_output(from)) ASSERT_TRUE(to.feed({&byte, 1}).ok());
  }
  EXPECT_TRUE(client.handshake_done());
  EXPECT_TRUE(server.handshake_done());
}

TEST(TlsConnection, gathered_runs_are_the_output_in_order) {
  TlsPair pair;
  ASSERT_TRUE(pair.client.write(ByteVector(200'000)).ok());
  Bytes runs[16];
  const std::size_t count = pair.client.gather_output(runs);
  ByteVector joined;
  for (const Bytes run : std::span(runs).first(count)) {
    joined.insert(joined.end(), run.begin(), run.end());
  }
  EXPECT_EQ(joined.size(), pair.client.output_bytes());
  EXPECT_EQ(joined, take_output(pair.client));
}

TEST(TlsConnection, a_changed_bit_is_fatal_and_after_the_alert_comes_silence) {
  TlsPair pair;
  ASSERT_TRUE(pair.client.write(as_bytes("hello")).ok());
  ByteVector wire = take_output(pair.client);
  wire.back() ^= 1;
  ASSERT_TRUE(pair.server.feed(wire).ok());
  ByteVector space(100);
  const auto read = pair.server.read(space);
  ASSERT_FALSE(read.ok());
  EXPECT_TRUE(read.error().is(kProtocol));
  carry(pair.server, pair.client);
  EXPECT_FALSE(pair.client.read(space).ok());
  EXPECT_TRUE(pair.client.error()->is(kAlertReceived));
  EXPECT_EQ(alert_name(pair.client.error()->detail()), "bad record mac");
  for (int again = 0; again < 3; ++again) {
    EXPECT_TRUE(pair.server.feed(wire).error().is(kProtocol));
    EXPECT_TRUE(pair.server.read(space).error().is(kProtocol));
    EXPECT_TRUE(pair.server.write(wire).error().is(kProtocol));
    pair.server.close_notify();
    EXPECT_TRUE(pair.server.output().empty());
    EXPECT_TRUE(pair.client.output().empty());
  }
}

TEST(TlsConnection, something_other_than_tls_is_named_so) {
  const SelfSigned certificate = test_certificate();
  const TlsContext server_side = server_context(certificate);
  TlsConnection server(server_side, kTestNow);
  const auto fed = server.feed(as_bytes("GET / HTTP/1.1\r\nhost: site.example\r\n\r\n"));
  ASSERT_FALSE(fed.ok());
  EXPECT_TRUE(fed.error().is(kProtocol));
}

TEST(TlsConnection, an_end_without_close_notify_is_a_truncation) {
  TlsPair pair;
  EXPECT_TRUE(pair.client.feed_end().error().is(kTruncated));
  pair.client.close_notify();
  pair.server.close_notify();
  EXPECT_TRUE(pair.client.output().empty());
}

TEST(TlsConnection, a_close_notify_ends_one_direction_only) {
  TlsPair pair;
  ASSERT_TRUE(pair.client.write(as_bytes("last")).ok());
  pair.client.close_notify();
  EXPECT_TRUE(pair.client.write(as_bytes("more")).error().is(kClosed));
  carry(pair.client, pair.server);
  EXPECT_FALSE(pair.server.peer_closed());
  EXPECT_EQ(as_text(read_all(pair.server)), "last");
  EXPECT_TRUE(pair.server.peer_closed());
  EXPECT_TRUE(pair.server.feed_end().ok());
  ASSERT_TRUE(pair.server.write(as_bytes("answer")).ok());
  pair.server.close_notify();
  carry(pair.server, pair.client);
  EXPECT_EQ(as_text(read_all(pair.client)), "answer");
  EXPECT_TRUE(pair.client.peer_closed());
  EXPECT_TRUE(pair.client.output().empty());
}

TEST(TlsConnection, an_end_within_the_handshake_is_a_truncation) {
  const TlsContext client_side = pinned_context(test_certificate());
  TlsConnection client(client_side, kTestNow);
  EXPECT_TRUE(client.feed_end().error().is(kTruncated));
}

TEST(TlsConnection, a_new_certificate_serves_new_connections_and_leaves_old_ones_alone) {
  TlsPair pair;
  const SelfSigned renewed = test_certificate();
  pair.server_side = server_context(renewed);
  const TlsContext new_client_side = pinned_context(renewed);
  TlsConnection new_client(new_client_side, kTestNow);
  TlsConnection new_server(pair.server_side, kTestNow);
  carry_both_ways(new_client, new_server);
  EXPECT_TRUE(new_client.handshake_done());
  ASSERT_TRUE(pair.client.write(as_bytes("still here")).ok());
  carry(pair.client, pair.server);
  EXPECT_EQ(as_text(read_all(pair.server)), "still here");
}

TEST(TlsConnection, data_flows_on_after_idle_buffers_were_released) {
  TlsPair pair;
  pair.client.release_buffers();
  ASSERT_TRUE(pair.client.write(as_bytes("awake")).ok());
  pair.client.release_buffers();
  carry(pair.client, pair.server);
  pair.server.release_buffers();
  EXPECT_EQ(as_text(read_all(pair.server)), "awake");
}

TEST(TlsConnection, a_moved_connection_goes_on) {
  TlsPair pair;
  TlsConnection moved = std::move(pair.client);
  ASSERT_TRUE(moved.write(as_bytes("moved")).ok());
  carry(moved, pair.server);
  EXPECT_EQ(as_text(read_all(pair.server)), "moved");
}

}  // namespace
}  // namespace karst::stream::tls
