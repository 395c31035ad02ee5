#include "stream/proxy/socks5.h"

#include <gtest/gtest.h>

#include <string>

#include "stream/proxy/error.h"

namespace karst::stream::proxy {
namespace {

using State = Exchange::State;

std::string taken(ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  queue.clear();
  return out;
}

// Text with its NUL bytes: s("\0a") has two bytes.
template <std::size_t N>
std::string s(const char (&text)[N]) {
  return {text, N - 1};
}

struct Client {
  explicit Client(std::optional<Credentials> credentials = {}) : server(credentials) {}

  std::string send(std::string_view bytes) {
    server.handle_client(as_bytes(bytes), exchange);
    return taken(exchange.to_client);
  }
  std::string result(OpenResult result, const Endpoint& bound = {}) {
    server.handle_result(result, bound, exchange);
    return taken(exchange.to_client);
  }
  // The target of the ConnectRequest that is out, or why there is none.
  std::string requested() {
    const auto event = exchange.poll_event();
    if (!event) return "nothing";
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) return connect->target.text();
    if (const auto* udp = std::get_if<UdpAssociateRequest>(&*event)) {
      return "udp " + udp->expected_source.text();
    }
    return std::string(std::get<EntryFailed>(*event).error.kind().name);
  }

  Exchange exchange;
  Socks5Server server;
};

const std::string kHello = s("\x05\x01\x00");
const std::string kConnectV4 = s("\x05\x01\x00\x01\xc0\x00\x02\x01\x01\xbb");
const std::string kConnectName =
    s("\x05\x01\x00\x03\x0b"
      "example.org\x01\xbb");

TEST(Socks5, connect_names_its_target_in_three_forms) {
  const struct {
    std::string request;
    const char* target;
  } cases[] = {
      {kConnectV4, "192.0.2.1:443"},
      {s("\x05\x01\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x50"), "[2001:db8::1]:80"},
      {kConnectName, "example.org:443"},
      {s("\x05\x01\x00\x03\x09"
         "192.0.2.1\x01\xbb"),
       "192.0.2.1:443"},
  };
  for (const auto& c : cases) {
    Client client;
    EXPECT_EQ(client.send(kHello), s("\x05\x00"));
    EXPECT_EQ(client.send(c.request), "");
    EXPECT_EQ(client.requested(), c.target);
    EXPECT_EQ(client.exchange.state, State::requested);
    EXPECT_EQ(client.result(OpenResult::ok), s("\x05\x00\x00\x01\0\0\0\0\0\0"));
    EXPECT_EQ(client.exchange.state, State::open);
  }
}

TEST(Socks5, the_reply_carries_the_code_and_the_bound_endpoint) {
  Client six;
  six.send(kHello + kConnectName);
  EXPECT_EQ(six.result(OpenResult::ok, *Endpoint::parse("[2001:db8::5]:258")),
            s("\x05\x00\x00\x04\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x05\x01\x02"));
  Client failed;
  failed.send(kHello + kConnectName);
  EXPECT_EQ(failed.result(OpenResult::timed_out, *Endpoint::parse("192.0.2.9:7")),
            s("\x05\x06\x00\x01\0\0\0\0\0\0"));
  EXPECT_EQ(failed.exchange.state, State::closing);
}

TEST(Socks5, bytes_behind_the_request_are_handed_out_before_the_result) {
  Client client;
  EXPECT_EQ(client.send(kHello + kConnectName + "GET / "), s("\x05\x00"));
  EXPECT_EQ(client.send("HTTP/1.1"), "");
  EXPECT_EQ(taken(client.exchange.to_server), "GET / HTTP/1.1");
}

TEST(Socks5, early_bytes_are_dropped_when_the_result_is_not_ok) {
  Client client;
  client.send(kHello + kConnectName + "early");
  client.result(OpenResult::refused);
  EXPECT_EQ(taken(client.exchange.to_server), "");
  client.send("more");
  EXPECT_EQ(taken(client.exchange.to_server), "");
}

TEST(Socks5, a_refused_request_gets_its_code_and_nothing_follows) {
  const struct {
    std::string request;
    char code;
    const char* reason;
  } cases[] = {
      {s("\x05\x02\x00\x01\xc0\x00\x02\x01\x01\xbb"), 0x07, "unsupported-command"},  // BIND
      {s("\x05\x00\x00\x01\xc0\x00\x02\x01\x01\xbb"), 0x07, "unsupported-command"},
      {s("\x05\x04\x00\x01\xc0\x00\x02\x01\x01\xbb"), 0x07, "unsupported-command"},
      {s("\x05\x02\x00\x09"), 0x07, "unsupported-command"},
      {s("\x05\x01\x00\x00"), 0x08, "unsupported-address-type"},
      {s("\x05\x01\x00\x02"), 0x08, "unsupported-address-type"},
      {s("\x05\x03\x00\x05"), 0x08, "unsupported-address-type"},
      {s("\x04\x01\x00\x01"), 0x01, "malformed-socks"},
      {s("\x05\x01\x00\x03\x00\x01\xbb"), 0x04, "bad-target"},
      {s("\x05\x01\x00\x03\x03"
         "a b\x01\xbb"),
       0x04, "bad-target"},
      {s("\x05\x01\x00\x03\x05"
         "127.1\x01\xbb"),
       0x04, "bad-target"},
      {s("\x05\x01\x00\x01\xc0\x00\x02\x01\x00\x00"), 0x01, "bad-target"},
  };
  for (const auto& c : cases) {
    Client client;
    client.send(kHello);
    EXPECT_EQ(client.send(c.request + "behind"), s("\x05") + c.code + s("\x00\x01\0\0\0\0\0\0"));
    EXPECT_EQ(client.exchange.state, State::closing);
    EXPECT_EQ(client.requested(), c.reason);
    EXPECT_EQ(client.send(kHello + kConnectV4), "");
    EXPECT_EQ(client.requested(), "nothing");
    EXPECT_TRUE(client.exchange.to_server.empty());
  }
}

TEST(Socks5, without_credentials_only_method_0_is_taken) {
  const struct {
    std::string hello;
    std::string reply;
  } cases[] = {
      {s("\x05\x01\x00"), s("\x05\x00")},
      {s("\x05\x02\x02\x00"), s("\x05\x00")},
      {s("\x05\x01\x02"), s("\x05\xff")},
      {s("\x05\x00"), s("\x05\xff")},
      {s("\x05\xff") + std::string(254, '\x80') + s("\x00"), s("\x05\x00")},
      {s("\x05\xff") + std::string(255, '\x80'), s("\x05\xff")},
  };
  for (const auto& c : cases) {
    Client client;
    EXPECT_EQ(client.send(c.hello), c.reply);
    const bool refused = c.reply[1] != 0;
    EXPECT_EQ(client.exchange.state, refused ? State::closing : State::greeting);
    EXPECT_EQ(client.requested(), refused ? "no-acceptable-method" : "nothing");
  }
}

TEST(Socks5, with_credentials_only_the_right_password_reaches_the_request) {
  const auto alice = *Credentials::make("alice", "pw");
  Client plain(alice);
  EXPECT_EQ(plain.send(kHello), s("\x05\xff"));

  Client right(alice);
  EXPECT_EQ(right.send(s("\x05\x02\x00\x02")), s("\x05\x02"));
  EXPECT_EQ(right.send(s("\x01\x05"
                         "alice\x02pw") +
                       kConnectName),
            s("\x01\x00"));
  EXPECT_EQ(right.requested(), "example.org:443");

  const std::pair<std::string, const char*> wrong[] = {
      {s("\x01\x05"
         "alice\x02pW"),
       "bad-credentials"},
      {s("\x01\x05"
         "alicf\x02pw"),
       "bad-credentials"},
      {s("\x01\x00\x00"), "bad-credentials"},
      {s("\x05\x05"
         "alice\x02pw"),
       "malformed-socks"},
  };
  for (const auto& [password, reason] : wrong) {
    Client client(alice);
    client.send(s("\x05\x01\x02"));
    EXPECT_EQ(client.send(password + kConnectName), s("\x01\x01"));
    EXPECT_EQ(client.requested(), reason);
    EXPECT_EQ(client.exchange.state, State::closing);
  }
}

TEST(Socks5, the_longest_user_and_password_fit) {
  const std::string longest(255, 'x');
  Client client(*Credentials::make(longest, longest));
  client.send(s("\x05\x01\x02"));
  EXPECT_EQ(client.send(s("\x01\xff") + longest + s("\xff") + longest), s("\x01\x00"));
}

TEST(Socks5, udp_associate_tells_the_source_and_ignores_what_follows) {
  const std::pair<std::string, const char*> cases[] = {
      {s("\x05\x03\x00\x01\x7f\x00\x00\x01\x12\x34"), "udp 127.0.0.1:4660"},
      {s("\x05\x03\x00\x01\0\0\0\0\0\0"), "udp 0.0.0.0:0"},
      {s("\x05\x03\x00\x04\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x00\x07"), "udp [::1]:7"},
      {s("\x05\x03\x00\x03\x03"
         "foo\x00\x07"),
       "udp 0.0.0.0:7"},
  };
  for (const auto& [request, source] : cases) {
    Client client;
    client.send(kHello + request + "ignored");
    EXPECT_EQ(client.requested(), source);
    EXPECT_EQ(client.result(OpenResult::ok, *Endpoint::parse("127.0.0.1:258")),
              s("\x05\x00\x00\x01\x7f\x00\x00\x01\x01\x02"));
    EXPECT_EQ(client.send("ignored too"), "");
    EXPECT_TRUE(client.exchange.to_server.empty());
    EXPECT_TRUE(client.exchange.filter_client);
  }
}

}  // namespace
}  // namespace karst::stream::proxy
