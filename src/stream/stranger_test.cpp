#include <gtest/gtest.h>

#include <functional>

#include "keys/admission.h"
#include "keys/labels.h"
#include "stream/connection_pair_for_test.h"
#include "stream/websocket/encoder.h"

// What someone without a place on this server sees of it: always the web site. Each test runs the
// same conversation against a server with a tunnel and against one without, and compares every
// decrypted byte that the two send.
namespace karst::stream {
namespace {

// A client of TLS and HTTP/2 that speaks as it is told and remembers every byte it got.
class Stranger final : private http2::Visitor {
 public:
  Stranger(ServerForTest& server, bool with_tunnel)
      : shared_(server.shared),
        context_(tls::TlsContext::client(
                     {tls::PinnedKey{tls::spki_pin(server.certificate.certificate_pem).value()},
                      "cover.example"})
                     .value()),
        front_(with_tunnel ? server.shared.front : nullptr),
        tls_(context_, kWall) {
    shared_.front = front_;
    server_.emplace(shared_, cover::ConnectionKey{1}, Endpoint{IpAddress::v4({192, 0, 2, 9}), 1},
                    moment());
    http2::Visitor& visitor = *this;
    session_.emplace(http2::ClientSettings{}, visitor);
    settle();
  }

  tls::Exporter exporter() { return tls_.exporter(keys::kTlsExporterLabel); }

  http2::StreamId get(std::string path, std::size_t field_count = 0) {
    const auto stream = session_->request({.method = "GET",
                                           .authority = "cover.example",
                                           .scheme = "https",
                                           .path = std::move(path),
                                           .protocol = {},
                                           .fields = {field_count, {"x", "y"}},
                                           .oversized = false},
                                          nullptr);
    settle();
    return stream.value();
  }

  // Opens a WebSocket with this cookie (none if empty) on this path, in a field behind `first`.
  http2::StreamId open_socket(const std::string& cookie, std::string path = "/live",
                              const std::string& first = "") {
    http2::RequestHead head{.method = "CONNECT",
                            .authority = "cover.example",
                            .scheme = "https",
                            .path = std::move(path),
                            .protocol = "websocket",
                            .fields = {{"sec-websocket-version", "13"}},
                            .oversized = false};
    if (!first.empty()) head.fields.push_back({"cookie", first});
    if (!cookie.empty()) head.fields.push_back({"cookie", cookie, true});
    bodies_.push_back(std::make_unique<http2::MessageQueue>());
    const auto stream = session_->request(head, bodies_.back().get()).value();
    settle();
    return stream;
  }

  void send(http2::StreamId stream, websocket::Opcode opcode, Bytes payload) {
    ByteVector frame(encoder_.frame_bytes(payload.size()));
    encoder_.encode(opcode, payload, frame);
    send_raw(stream, frame);
  }
  void send_raw(http2::StreamId stream, Bytes bytes) {
    bodies_.back()->push(to_vector(bytes));
    session_->resume(stream);
    settle();
  }

  void pass(Duration time) {
    now_ += time;
    for (int i = 0; i < 100; ++i) {
      const auto deadline = server_->next_deadline();
      if (!deadline || *deadline > now_) break;
      server_->handle_deadline(moment());
      settle();
    }
  }

  // Begins requests with a head of about `bytes` each that never end.
  void begin_requests(int count, std::size_t bytes) {
    for (int i = 0; i < count; ++i) {
      bodies_.push_back(std::make_unique<http2::MessageQueue>());
      bodies_.back()->push(ByteVector(1));
      ASSERT_TRUE(session_
                      ->request({.method = "POST",
                                 .authority = "cover.example",
                                 .scheme = "https",
                                 .path = "/",
                                 .protocol = {},
                                 .fields = {{"x", std::string(bytes, 'x'), true}},
                                 .oversized = false},
                                bodies_.back().get())
                      .ok());
    }
    settle();
  }
  void release_idle() { server_->release_idle(); }

  const ByteVector& received() const { return received_; }
  bool tunnel_offered() const { return front_ != nullptr; }
  bool server_closed() const { return server_->over(); }
  ServerHttp2& server_http2() { return *server_->http2(); }
  std::string describe() const { return std::string(as_text(received_)); }

 private:
  static constexpr UnixTime kWall{1'750'000'000};
  Moment moment() const { return {now_, kWall}; }

  void on_data(http2::StreamId stream, Bytes bytes) override {
    session_->consume(stream, bytes.size());
  }

  void settle() {
    for (bool moved = true; moved;) {
      moved = false;
      if (tls_.handshake_done()) {
        ByteVector block(http2::kBlockBytes);
        while (const std::size_t size = session_->poll_output(block)) {
          ASSERT_TRUE(tls_.write(Bytes(block).first(size)).ok());
        }
      }
      while (!tls_.output().empty()) {
        const Bytes run = tls_.output();
        const MutableBytes space = server_->input_space();
        const std::size_t size = std::min(run.size(), space.size());
        copy_bytes(space, run.first(size));
        tls_.consume_output(size);
        server_->commit_input(size, moment());
        moved = true;
      }
      server_->produce(moment());
      Bytes run;
      while (server_->gather_output({&run, 1}) > 0) {
        ASSERT_TRUE(tls_.feed(run).ok());
        server_->consume_output(run.size());
        server_->produce(moment());
        ByteVector plain(tls::kRecordBytes);
        while (const std::size_t size = tls_.read(plain).value_or(0)) {
          received_.insert(received_.end(), plain.begin(),
                           plain.begin() + static_cast<std::ptrdiff_t>(size));
          static_cast<void>(session_->feed(Bytes(plain).first(size)));
        }
        moved = true;
      }
    }
  }

  ServerShared shared_;
  tls::TlsContext context_;
  const keys::FrontSecrets* front_;
  TimePoint now_ = kStart;
  tls::TlsConnection tls_;
  std::optional<ServerConnection> server_;
  std::optional<http2::ClientSession> session_;
  std::vector<std::unique_ptr<http2::MessageQueue>> bodies_;
  websocket::Encoder encoder_{websocket::Role::client, Prng(1)};
  ByteVector received_;
};

using Conversation = std::function<void(ServerForTest&, Stranger&)>;

// The random parts of a proof differ, but not its length; everything else is told by the caller.
void expect_same_as_without_tunnel(const Conversation& talk) {
  ServerForTest with;
  ServerForTest without;
  Stranger a(with, true);
  Stranger b(without, false);
  talk(with, a);
  talk(without, b);
  EXPECT_GT(a.received().size(), 50u);
  EXPECT_EQ(a.received(), b.received()) << a.describe() << "\n---\n" << b.describe();
  EXPECT_EQ(a.server_closed(), b.server_closed());
}

std::string proof(ServerForTest& server, const tls::Exporter& exporter,
                  std::string_view authority = "cover.example") {
  return keys::make_admission_cookie(server.front.current(),
                                     keys::TlsExporter::from_bytes(exporter.expose()), authority,
                                     server.entropy);
}

TEST(Stranger, pages_and_missing_pages_are_those_of_the_site) {
  expect_same_as_without_tunnel([](ServerForTest&, Stranger& stranger) {
    for (const char* path : {"/", "/style.css", "/nothing", "/live", "/live/"}) stranger.get(path);
  });
}

TEST(Stranger, more_fields_than_the_site_takes_are_refused_as_over_http1) {
  for (const std::size_t count : {cover::kHeadersMax - 1, cover::kHeadersMax}) {
    ServerForTest server;
    Stranger stranger(server, true);
    stranger.get("/", count);
    EXPECT_EQ(stranger.describe().find("431"), std::string::npos) << count;
  }
  ServerForTest server;
  Stranger stranger(server, true);
  stranger.get("/", cover::kHeadersMax + 1);
  EXPECT_NE(stranger.describe().find("431"), std::string::npos) << stranger.describe();
}

TEST(Stranger, without_a_proof_the_socket_is_the_public_one) {
  expect_same_as_without_tunnel([](ServerForTest&, Stranger& stranger) {
    const auto socket = stranger.open_socket("");
    stranger.send(socket, websocket::Opcode::text, as_bytes("ping a"));
    stranger.pass(std::chrono::seconds(11));
    stranger.send(socket, websocket::Opcode::binary, as_bytes("what is this"));
  });
}

TEST(Stranger, a_proof_that_does_not_count_gets_the_public_socket) {
  const char* kinds[] = {"not ours",           "malformed",       "wrong secret",
                         "foreign connection", "other authority", "on another path"};
  for (const std::string kind : kinds) {
    SCOPED_TRACE(kind);
    expect_same_as_without_tunnel([&](ServerForTest& server, Stranger& stranger) {
      std::string cookie = "theme=dark";
      std::string path = "/live";
      if (kind == "malformed") cookie = "sid=" + std::string(64, '!');
      if (kind == "wrong secret") cookie = "sid=" + std::string(64, 'A');
      if (kind == "foreign connection") {
        cookie = proof(server, tls::Exporter::random(server.entropy));
      }
      if (kind == "other authority") cookie = proof(server, stranger.exporter(), "other.example");
      if (kind == "on another path") {
        cookie = proof(server, stranger.exporter());
        path = "/about";
      }
      const auto socket = stranger.open_socket(cookie, path);
      stranger.send(socket, websocket::Opcode::binary, ByteVector(3000, 7));
      stranger.pass(std::chrono::seconds(100));
    });
  }
}

// Whoever holds the front secret can show a good proof; what is then said decides.
TEST(Stranger, with_a_good_proof_and_a_bad_hello_the_socket_ends_as_the_public_one_does) {
  struct Case {
    const char* what;
    websocket::Opcode opcode;
    std::size_t size;
  };
  for (const Case& test : {Case{"garbage for M1", websocket::Opcode::binary, 3400},
                           Case{"an empty message", websocket::Opcode::binary, 0},
                           Case{"too much", websocket::Opcode::binary, 60'000},
                           Case{"text", websocket::Opcode::text, 100}}) {
    SCOPED_TRACE(test.what);
    expect_same_as_without_tunnel([&](ServerForTest& server, Stranger& stranger) {
      const auto socket = stranger.open_socket(proof(server, stranger.exporter()));
      stranger.send(socket, test.opcode, ByteVector(test.size, 'x'));
      stranger.pass(std::chrono::seconds(100));
      EXPECT_EQ(server.trace.has("hello-refused"), stranger.tunnel_offered());
    });
  }
}

TEST(Stranger, a_proof_counts_in_whichever_cookie_field_it_is) {
  ServerForTest server;
  Stranger stranger(server, true);
  const auto socket =
      stranger.open_socket(proof(server, stranger.exporter()), "/live", "theme=dark");
  stranger.send(socket, websocket::Opcode::text, as_bytes("ping a"));
  EXPECT_TRUE(server.trace.has("hello-refused"));
}

TEST(Stranger, half_a_message_after_a_good_proof_waits_like_any_socket) {
  expect_same_as_without_tunnel([](ServerForTest& server, Stranger& stranger) {
    const auto socket = stranger.open_socket(proof(server, stranger.exporter()));
    stranger.send_raw(socket, ByteVector{0x82, 0xfe, 0x0c, 0x00, 1, 2, 3, 4, 5, 6});
    for (int i = 0; i < 30; ++i) stranger.pass(std::chrono::seconds(10));
  });
}

TEST(Stranger, silence_after_a_good_proof_ends_like_any_idle_socket) {
  expect_same_as_without_tunnel([](ServerForTest& server, Stranger& stranger) {
    stranger.open_socket(proof(server, stranger.exporter()));
    for (int i = 0; i < 30; ++i) stranger.pass(std::chrono::seconds(10));
    EXPECT_TRUE(stranger.server_closed());
  });
}

TEST(Stranger, what_a_connection_holds_is_charged_and_given_back) {
  ServerForTest server;
  {
    Stranger stranger(server, false);
    stranger.begin_requests(90, 20'000);
    EXPECT_GT(server.visitors.used(), 90u * 20'000);
  }
  EXPECT_EQ(server.visitors.used(), 0u);
}

TEST(Stranger, an_idle_connection_gives_its_buffers_back) {
  ServerForTest server;
  Stranger stranger(server, false);
  stranger.get("/");
  EXPECT_GE(server.visitors.used(), 32u * 1024);
  stranger.release_idle();
  EXPECT_GE(server.visitors.used(), 32u * 1024) << "it was busy a moment ago";
  stranger.release_idle();
  EXPECT_LT(server.visitors.used(), 1024u);
  stranger.get("/style.css");
}

TEST(Stranger, a_second_proof_on_one_connection_gets_the_public_socket) {
  expect_same_as_without_tunnel([](ServerForTest& server, Stranger& stranger) {
    for (int i = 0; i < 2; ++i) {
      const auto socket = stranger.open_socket(proof(server, stranger.exporter()));
      stranger.send(socket, websocket::Opcode::text, as_bytes("ping again"));
    }
    EXPECT_EQ(server.trace.has("proof-reused"), stranger.tunnel_offered());
  });
}

TEST(Stranger, a_good_hello_and_then_silence_is_ended_by_the_server) {
  ServerForTest server;
  Stranger stranger(server, true);
  const auto socket = stranger.open_socket(proof(server, stranger.exporter()));
  ClientForTest client(server);
  auto hello = keys::start_client(
      client.config.link.handshake, server.front.current().duplicate(),
      keys::PskCredential{wire::PskGeneration::zero, keys::ClientPsk::random(server.entropy)},
      keys::StreamBinding{keys::TlsExporter::from_bytes(stranger.exporter().expose())},
      client.entropy);
  stranger.send(socket, websocket::Opcode::binary, hello.m1);
  EXPECT_FALSE(stranger.server_closed());
  stranger.pass(kAdmissionTime);
  stranger.pass(std::chrono::seconds(5));
  EXPECT_TRUE(stranger.server_closed());
  EXPECT_TRUE(server.trace.has("client-refused reason=admission-timeout"));
}

}  // namespace
}  // namespace karst::stream
