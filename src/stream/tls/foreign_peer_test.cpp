// How a TlsConnection treats peers that our own contexts cannot be: plain OpenSSL set up otherwise.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/pem.h>

#include <string>

#include "stream/tls/handles.h"
#include "stream/tls/tls_connection.h"
#include "stream/tls/tls_pair.h"

namespace karst::stream::tls {
namespace {

class ForeignPeer {
 public:
  explicit ForeignPeer(const SSL_METHOD* method) : context_(SSL_CTX_new(method)) {}

  SSL_CTX* context() { return context_.get(); }
  SSL* ssl() {
    if (ssl_ == nullptr) {
      ssl_.reset(SSL_new(context_.get()));
      in_ = BIO_new(BIO_s_mem());
      out_ = BIO_new(BIO_s_mem());
      SSL_set_bio(ssl_.get(), in_, out_);
      if (SSL_CTX_get_ssl_method(context_.get()) == TLS_client_method()) {
        SSL_set_connect_state(ssl_.get());
      } else {
        SSL_set_accept_state(ssl_.get());
      }
    }
    return ssl_.get();
  }
  // Runs the handshake with `ours` as far as it goes; whether both ends finished it.
  bool shake_hands(TlsConnection& ours) {
    for (int flight = 0; flight < 6; ++flight) {
      (void)SSL_do_handshake(ssl());
      send_to(ours);
      receive_from(ours);
    }
    return SSL_is_init_finished(ssl()) == 1 && ours.handshake_done();
  }
  ByteVector take_output() {
    char* data = nullptr;
    const long size = BIO_get_mem_data(out_, &data);
    ByteVector out = to_vector(as_bytes({data, static_cast<std::size_t>(size)}));
    BIO_reset(out_);
    return out;
  }
  void send_to(TlsConnection& ours) {
    char* data = nullptr;
    const long size = BIO_get_mem_data(out_, &data);
    (void)ours.feed(as_bytes({data, static_cast<std::size_t>(size)}));
    BIO_reset(out_);
  }
  void receive_from(TlsConnection& ours) {
    while (!ours.output().empty()) {
      const Bytes run = ours.output();
      BIO_write(in_, run.data(), static_cast<int>(run.size()));
      ours.consume_output(run.size());
    }
  }

 private:
  SslCtxPtr context_;
  SslPtr ssl_;
  BIO* in_ = nullptr;
  BIO* out_ = nullptr;
};

struct Server {
  SelfSigned certificate = test_certificate();
  TlsContext context = server_context(certificate);
  TlsConnection connection{context, kTestNow};
};

TEST(ForeignClient, tls_1_2_is_refused_with_an_alert) {
  Server server;
  ForeignPeer client(TLS_client_method());
  SSL_CTX_set_max_proto_version(client.context(), TLS1_2_VERSION);
  EXPECT_FALSE(client.shake_hands(server.connection));
  ASSERT_TRUE(server.connection.error());
  EXPECT_TRUE(server.connection.error()->is(kProtocol));
  EXPECT_EQ(server.connection.error()->detail(), SSL_R_UNSUPPORTED_PROTOCOL);
}

TEST(ForeignClient, the_protocol_is_h2_then_http11_and_http11_for_everyone_else) {
  struct Case {
    std::string offered;
    Alpn chosen;
    std::string announced;
  };
  const Case cases[] = {
      {"", Alpn::http11, ""},           {"\x08http/1.1", Alpn::http11, "http/1.1"},
      {"\x02h2", Alpn::h2, "h2"},       {"\x08http/1.1\x02h2", Alpn::h2, "h2"},
      {"\x06spdy/3", Alpn::http11, ""},
  };
  for (const Case& c : cases) {
    Server server;
    ForeignPeer client(TLS_client_method());
    const Bytes offered = as_bytes(c.offered);
    SSL_CTX_set_alpn_protos(client.context(), offered.data(),
                            static_cast<unsigned>(offered.size()));
    ASSERT_TRUE(client.shake_hands(server.connection)) << c.offered;
    EXPECT_EQ(server.connection.alpn(), c.chosen) << c.offered;
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(client.ssl(), &name, &size);
    EXPECT_EQ(as_text({name, size}), c.announced);
  }
}

TEST(ForeignClient, a_client_with_an_ordinary_curve_only_is_served) {
  Server server;
  ForeignPeer client(TLS_client_method());
  SSL_CTX_set1_groups_list(client.context(), "P-256");
  EXPECT_TRUE(client.shake_hands(server.connection));
}

TEST(ForeignClient, the_post_quantum_group_is_preferred_even_at_the_price_of_a_round_trip) {
  Server server;
  ForeignPeer client(TLS_client_method());
  SSL_CTX_set1_groups_list(client.context(), "*X25519:X25519MLKEM768");
  ASSERT_TRUE(client.shake_hands(server.connection));
  EXPECT_EQ(server.connection.group(), "X25519MLKEM768");
}

TEST(ForeignClient, nobody_is_given_a_ticket_or_early_data) {
  Server server;
  ForeignPeer client(TLS_client_method());
  ASSERT_TRUE(client.shake_hands(server.connection));
  char byte = 0;
  EXPECT_LE(SSL_read(client.ssl(), &byte, 1), 0);
  SSL_SESSION* session = SSL_get0_session(client.ssl());
  EXPECT_EQ(SSL_SESSION_has_ticket(session), 0);
  EXPECT_EQ(SSL_SESSION_get_max_early_data(session), 0u);
}

// The client's key updates arrive one by one; each asks for one in return.
std::size_t key_updates_until_refused(std::size_t data_between) {
  Server server;
  ForeignPeer client(TLS_client_method());
  EXPECT_TRUE(client.shake_hands(server.connection));
  const ByteVector data(data_between);
  ByteVector space(kRecordBytes);
  for (std::size_t sent = 0; sent < 200; ++sent) {
    SSL_key_update(client.ssl(), SSL_KEY_UPDATE_REQUESTED);
    SSL_do_handshake(client.ssl());
    if (!data.empty()) SSL_write(client.ssl(), data.data(), static_cast<int>(data.size()));
    client.send_to(server.connection);
    client.receive_from(server.connection);
    for (;;) {
      const auto read = server.connection.read(space);
      if (!read.ok()) {
        EXPECT_TRUE(read.error().is(kHandshakeFlood));
        return sent;
      }
      if (*read == 0) break;
    }
  }
  return 200;
}

TEST(ForeignClient, key_updates_without_data_are_a_flood_after_32) {
  EXPECT_EQ(key_updates_until_refused(0), 32u);
}

TEST(ForeignClient, key_updates_with_a_mebibyte_between_them_are_none) {
  EXPECT_EQ(key_updates_until_refused(1024 * 1024), 200u);
}

TEST(ForeignClient, data_behind_key_updates_in_one_piece_is_still_read) {
  Server server;
  ForeignPeer client(TLS_client_method());
  ASSERT_TRUE(client.shake_hands(server.connection));
  for (const char* word : {"one", "two", "six"}) {
    SSL_key_update(client.ssl(), SSL_KEY_UPDATE_NOT_REQUESTED);
    SSL_do_handshake(client.ssl());
    SSL_write(client.ssl(), word, 3);
  }
  client.send_to(server.connection);
  EXPECT_EQ(as_text(read_all(server.connection)), "onetwosix");
}

struct ForeignServer {
  SelfSigned certificate = test_certificate();
  ForeignPeer peer{TLS_server_method()};
  TlsContext client_side = pinned_context(certificate);
  TlsConnection client{client_side, kTestNow};

  ForeignServer() {
    const BioPtr pem(BIO_new_mem_buf(certificate.certificate_pem.data(), -1));
    const X509Ptr x509(PEM_read_bio_X509(pem.get(), nullptr, nullptr, nullptr));
    const BioPtr key_pem(BIO_new_mem_buf(certificate.key_pem.data(), -1));
    const PkeyPtr key(PEM_read_bio_PrivateKey(key_pem.get(), nullptr, nullptr, nullptr));
    SSL_CTX_use_certificate(peer.context(), x509.get());
    SSL_CTX_use_PrivateKey(peer.context(), key.get());
  }
};

TEST(ForeignServer, one_without_ml_kem_costs_no_further_round_trip) {
  ForeignServer server;
  SSL_CTX_set1_groups_list(server.peer.context(), "X25519");
  server.peer.receive_from((server.peer.ssl(), server.client));
  SSL_do_handshake(server.peer.ssl());
  server.peer.send_to(server.client);
  ASSERT_TRUE(server.client.handshake_done());
  EXPECT_EQ(server.client.group(), "x25519");
}

TEST(ForeignServer, tickets_are_read_over_and_without_alpn_it_speaks_http11) {
  ForeignServer server;
  ASSERT_TRUE(server.peer.shake_hands(server.client));
  EXPECT_EQ(server.client.alpn(), Alpn::http11);
  SSL_write(server.peer.ssl(), "hello", 5);
  server.peer.send_to(server.client);
  EXPECT_EQ(as_text(read_all(server.client)), "hello");
}

// OpenSSL reads the first records of a long message and then can write nothing before the last.
TEST(ForeignServer, what_is_written_inside_a_ticket_that_is_cut_goes_out_behind_it) {
  for (const bool closing : {false, true}) {
    ForeignServer server;
    SSL_CTX_set_num_tickets(server.peer.context(), 0);
    SSL_CTX_set_max_send_fragment(server.peer.context(), 512);
    const auto enlarge = [](SSL* ssl, void*) {
      const ByteVector data(2000);
      return SSL_SESSION_set1_ticket_appdata(SSL_get_session(ssl), data.data(), data.size());
    };
    SSL_CTX_set_session_ticket_cb(server.peer.context(), enlarge, nullptr, nullptr);
    ASSERT_TRUE(server.peer.shake_hands(server.client));
    ASSERT_EQ(SSL_new_session_ticket(server.peer.ssl()), 1);
    ASSERT_EQ(SSL_do_handshake(server.peer.ssl()), 1);
    const ByteVector ticket = server.peer.take_output();
    ASSERT_GT(ticket.size(), 2000u);

    // A whole record and a piece of the next.
    ASSERT_TRUE(server.client.feed(Bytes(ticket).first(700)).ok());
    ByteVector space(kRecordBytes);
    ASSERT_EQ(*server.client.read(space), 0u);
    ASSERT_TRUE(server.client.write(as_bytes("one")).ok());
    ASSERT_TRUE(server.client.write(as_bytes("two")).ok());
    EXPECT_GE(server.client.output_bytes(), 6u);
    if (closing) server.client.close_notify();
    ASSERT_TRUE(server.client.feed(Bytes(ticket).subspan(700)).ok());
    ASSERT_EQ(*server.client.read(space), 0u);
    server.peer.receive_from(server.client);
    char text[7] = {};
    for (int got = 0; got < 6;) {
      const int count = SSL_read(server.peer.ssl(), text + got, 6 - got);
      ASSERT_GT(count, 0);
      got += count;
    }
    EXPECT_STREQ(text, "onetwo");
    const int end = SSL_read(server.peer.ssl(), text, 1);
    EXPECT_EQ(SSL_get_error(server.peer.ssl(), end),
              closing ? SSL_ERROR_ZERO_RETURN : SSL_ERROR_WANT_READ);
  }
}

TEST(ForeignServer, what_is_written_while_half_a_key_update_has_come_goes_out) {
  ForeignServer server;
  SSL_CTX_set_num_tickets(server.peer.context(), 0);
  ASSERT_TRUE(server.peer.shake_hands(server.client));
  SSL_key_update(server.peer.ssl(), SSL_KEY_UPDATE_REQUESTED);
  SSL_do_handshake(server.peer.ssl());
  const ByteVector update = server.peer.take_output();
  ByteVector space(kRecordBytes);
  for (const Bytes half : {Bytes(update).first(13), Bytes(update).subspan(13)}) {
    ASSERT_TRUE(server.client.feed(half).ok());
    ASSERT_EQ(*server.client.read(space), 0u);
    ASSERT_TRUE(server.client.write(as_bytes("abc")).ok());
    server.peer.receive_from(server.client);
    char text[4] = {};
    EXPECT_EQ(SSL_read(server.peer.ssl(), text, 3), 3);
    EXPECT_STREQ(text, "abc");
  }
}

TEST(TlsError, only_an_alert_is_called_one) {
  EXPECT_TRUE(error_of_reason(SSL_R_UNSUPPORTED_PROTOCOL).is(kProtocol));
  EXPECT_TRUE(error_of_reason(SSL_AD_REASON_OFFSET).is(kAlertReceived));
  EXPECT_TRUE(error_of_reason(SSL_AD_REASON_OFFSET + 255).is(kAlertReceived));
  EXPECT_EQ(error_of_reason(SSL_AD_REASON_OFFSET + 40).detail(), 40);
  EXPECT_TRUE(error_of_reason(SSL_AD_REASON_OFFSET + 256).is(kLibraryFailed));
  EXPECT_TRUE(error_of_reason(ERR_R_MALLOC_FAILURE).is(kLibraryFailed));
  EXPECT_TRUE(error_of_reason(ERR_R_INTERNAL_ERROR).is(kLibraryFailed));
}

TEST(ForeignServer, an_address_or_no_name_sends_no_server_name) {
  for (const char* name : {"site.example", "192.0.2.1", ""}) {
    ForeignServer server;
    server.client_side = pinned_context(server.certificate, name);
    server.client = TlsConnection(server.client_side, kTestNow);
    ASSERT_TRUE(server.peer.shake_hands(server.client));
    const char* sent = SSL_get_servername(server.peer.ssl(), TLSEXT_NAMETYPE_host_name);
    const std::string expected = std::string_view(name) == "site.example" ? name : "";
    EXPECT_EQ(sent == nullptr ? "" : sent, expected);
  }
}

}  // namespace
}  // namespace karst::stream::tls
