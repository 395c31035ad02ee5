#include "stream/proxy/http_proxy.h"

#include <gtest/gtest.h>

#include <string>

#include "stream/proxy/limits.h"

namespace karst::stream::proxy {
namespace {

using State = Exchange::State;

std::string taken(ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  queue.clear();
  return out;
}

struct Client {
  explicit Client(std::optional<Credentials> credentials = {}) : proxy(credentials) {}

  std::string send(std::string_view bytes) {
    if (exchange.state != State::closing) proxy.handle_client(as_bytes(bytes), exchange);
    return taken(exchange.to_client);
  }
  std::string result(OpenResult result) {
    proxy.handle_result(result, exchange);
    return taken(exchange.to_client);
  }
  std::string response(std::string_view bytes) {
    if (exchange.state == State::open) proxy.handle_server(as_bytes(bytes), exchange);
    return taken(exchange.to_client);
  }
  std::string response_end() {
    proxy.handle_server_end(exchange);
    return taken(exchange.to_client);
  }
  std::string to_server() { return taken(exchange.to_server); }
  std::string event() {
    const auto event = exchange.poll_event();
    if (!event) return "nothing";
    if (const auto* connect = std::get_if<ConnectRequest>(&*event)) return connect->target.text();
    return std::string(std::get<EntryFailed>(*event).error.kind().name);
  }

  Exchange exchange;
  HttpProxy proxy;
};

std::string status_of(std::string_view answer) {
  return std::string(answer.substr(0, std::min(answer.find("\r\n"), answer.size())));
}

const std::string kGet = "GET http://a.example/x HTTP/1.1\r\nHost: a.example\r\n\r\n";
const std::string kGetForwarded = "GET /x HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n";

TEST(HttpProxy, connect_opens_a_stream_and_passes_early_bytes) {
  Client client;
  EXPECT_EQ(client.send("CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nearly"), "");
  EXPECT_EQ(client.event(), "a.example:443");
  EXPECT_EQ(client.send(" bytes"), "");
  EXPECT_EQ(client.to_server(), "early bytes");
  EXPECT_EQ(client.result(OpenResult::ok), "HTTP/1.1 200 Connection established\r\n\r\n");
  EXPECT_EQ(client.exchange.state, State::open);
  EXPECT_FALSE(client.exchange.filter_client || client.exchange.filter_server);
}

TEST(HttpProxy, connect_takes_a_name_or_an_address_and_a_port) {
  const std::pair<const char*, const char*> cases[] = {
      {"192.0.2.1:1", "192.0.2.1:1"},       {"[2001:db8::1]:65535", "[2001:db8::1]:65535"},
      {"A.example:8443", "a.example:8443"}, {"a.example", "bad-target"},
      {"a.example:0", "bad-target"},        {"http://a.example:443/", "bad-target"},
      {"user@a.example:443", "bad-target"}, {"127.1:443", "bad-target"},
  };
  for (const auto& [authority, is] : cases) {
    Client client;
    const auto answer = client.send(std::string("CONNECT ") + authority + " HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.event(), is) << authority;
    EXPECT_EQ(status_of(answer),
              std::string_view(is) == "bad-target" ? "HTTP/1.1 400 Bad Request" : "");
  }
}

TEST(HttpProxy, a_get_is_rewritten_and_its_response_told_to_end) {
  Client client;
  EXPECT_EQ(client.send(kGet), "");
  EXPECT_EQ(client.event(), "a.example:80");
  EXPECT_EQ(client.to_server(), kGetForwarded);
  EXPECT_EQ(client.result(OpenResult::ok), "");
  EXPECT_TRUE(client.exchange.filter_client && client.exchange.filter_server);
  EXPECT_EQ(
      client.response("HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: 4\r\n\r\nbo"),
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbo");
  EXPECT_FALSE(client.exchange.filter_server);
  EXPECT_EQ(client.response("dy"), "dy");
  EXPECT_EQ(client.response_end(), "");
}

TEST(HttpProxy, a_request_body_is_passed_and_what_follows_it_is_dropped) {
  Client length;
  length.send("POST http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab");
  length.send("cde" + kGet);
  length.send(kGet);
  EXPECT_EQ(length.to_server(),
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde");
  EXPECT_EQ(length.event(), "a:80");
  EXPECT_EQ(length.event(), "nothing");

  Client chunked;
  chunked.send("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  chunked.to_server();
  chunked.send("3;x\r\nabc\r\n");
  chunked.send("0\r\nX: y\r\n\r\n" + kGet);
  EXPECT_EQ(chunked.to_server(), "3\r\nabc\r\n0\r\n\r\n");
}

TEST(HttpProxy, each_refusal_has_its_status_and_reason) {
  const std::string start = "POST http://a/ HTTP/1.1\r\nHost: a\r\n";
  const struct {
    std::string request;
    const char* status;
    const char* reason;
  } cases[] = {
      {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "not-a-proxy-request"},
      {"GET https://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "not-a-proxy-request"},
      {"GET http://u:p@a/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "not-a-proxy-request"},
      {"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "not-a-proxy-request"},
      {"GET http:///x HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "bad-target"},
      {"GET http://127.1/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "bad-target"},
      {"GET http://a:0/ HTTP/1.1\r\nHost: a\r\n\r\n", "400 Bad Request", "bad-target"},
      {"GET http://a/ HTTP/1.1\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"GET http://a/ HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"GET http://a/\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"GET http://a/ HTTP/2.0\r\nHost: a\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"GET http://a/ HTTP/0.9\r\nHost: a\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 Bad Request", "malformed-http"},
      {start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request",
       "malformed-http"},
      {start + "Transfer-Encoding: gzip\r\n\r\n", "400 Bad Request", "malformed-http"},
      {"POST http://a/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request",
       "malformed-http"},
      {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n", "400 Bad Request",
       "malformed-http"},
      {"CONNECT a:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request",
       "malformed-http"},
      {"TRACE http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "http-method"},
      {"BREW http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "http-method"},
      {"get http://a/ HTTP/1.1\r\nHost: a\r\n\r\n", "405 Method Not Allowed", "http-method"},
      {"GET http://a/" + std::string(kHttpHeadBytesMax, 'x'), "431 Request Header Fields Too Large",
       "http-head-too-large"},
  };
  for (const auto& c : cases) {
    Client client;
    const std::string answer = client.send(c.request);
    EXPECT_EQ(status_of(answer), std::string("HTTP/1.1 ") + c.status) << c.request.substr(0, 80);
    EXPECT_NE(answer.find("\r\nConnection: close\r\n"), answer.npos);
    EXPECT_EQ(answer.find("\r\nAllow: ") != answer.npos,
              std::string_view(c.status).starts_with("405"));
    EXPECT_EQ(client.event(), c.reason) << c.request.substr(0, 80);
    EXPECT_EQ(client.event(), "nothing");
    EXPECT_EQ(client.to_server(), "");
    EXPECT_EQ(client.exchange.state, State::closing);
  }
}

TEST(HttpProxy, http_1_0_needs_no_host_and_connect_none_at_all) {
  Client old;
  old.send("GET http://a/ HTTP/1.0\r\n\r\n");
  EXPECT_EQ(old.event(), "a:80");
  Client connect;
  connect.send("CONNECT a:1 HTTP/1.1\r\n\r\n");
  EXPECT_EQ(connect.event(), "a:1");
}

TEST(HttpProxy, without_the_right_credentials_there_is_a_407_and_nothing_else) {
  const auto aladdin = *Credentials::make("Aladdin", "open sesame");
  const std::string right = "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==\r\n";
  const std::string wrong = "Proxy-Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZR==\r\n";
  const std::string start = "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n";

  for (const std::string& fields : {std::string(), wrong, "X-" + right}) {
    Client client(aladdin);
    const std::string answer = client.send(start + fields + "\r\nearly");
    EXPECT_EQ(status_of(answer), "HTTP/1.1 407 Proxy Authentication Required");
    EXPECT_NE(answer.find("\r\nProxy-Authenticate: Basic realm=\"karst\"\r\n"), answer.npos);
    EXPECT_EQ(client.event(), "bad-credentials");
    EXPECT_EQ(client.to_server(), "");
  }
  Client client(aladdin);
  EXPECT_EQ(client.send(start + right + "\r\nearly"), "");
  EXPECT_EQ(client.event(), "a:1");
  EXPECT_EQ(client.to_server(), "early");
  // The secret does not travel on.
  Client get(aladdin);
  get.send("GET http://a/ HTTP/1.1\r\nHost: a\r\n" + right + "\r\n");
  EXPECT_EQ(get.to_server(), "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
}

TEST(HttpProxy, a_failed_open_is_told_in_status_and_proxy_status) {
  const std::pair<OpenResult, const char*> cases[] = {
      {OpenResult::refused, "HTTP/1.1 502 Bad Gateway"},
      {OpenResult::forbidden, "HTTP/1.1 403 Forbidden"},
      {OpenResult::timed_out, "HTTP/1.1 504 Gateway Timeout"},
      {OpenResult::limit, "HTTP/1.1 503 Service Unavailable"},
  };
  for (const auto& [result, status] : cases) {
    for (const std::string& request : {kGet, std::string("CONNECT a:1 HTTP/1.1\r\n\r\nearly")}) {
      Client client;
      client.send(request);
      const std::string answer = client.result(result);
      EXPECT_EQ(status_of(answer), status);
      const std::string field = std::string("\r\nProxy-Status: karst; error=") +
                                std::string(proxy::answer(result).http_error) + "\r\n";
      EXPECT_NE(answer.find(field), answer.npos) << answer;
      EXPECT_EQ(client.exchange.state, State::closing);
      EXPECT_EQ(client.to_server(), "");
    }
  }
}

TEST(HttpProxy, a_refusal_to_a_head_request_has_no_body) {
  Client client;
  client.send("HEAD http://a/ HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_TRUE(client.result(OpenResult::refused).ends_with("\r\n\r\n"));
}

TEST(HttpProxy, interim_responses_pass_before_the_final_one) {
  Client client;
  client.send(kGet);
  client.result(OpenResult::ok);
  EXPECT_EQ(client.response(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTT"),
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n");
  EXPECT_EQ(client.response("P/1.1 204 No Content\r\n\r\n"),
            "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

TEST(HttpProxy, a_response_that_is_not_http_is_a_502) {
  const std::string wrong[] = {
      "SSH-2.0-OpenSSH\r\n",
      "HTTP/2.0 200 OK\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n",
      "HTTP/1.1 099 Strange\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
      "HTTP/1.1 200 OK\r\nX: " + std::string(kHttpHeadBytesMax, 'x'),
  };
  for (const std::string& response : wrong) {
    Client client;
    client.send(kGet);
    client.event();
    client.result(OpenResult::ok);
    EXPECT_EQ(status_of(client.response(response)), "HTTP/1.1 502 Bad Gateway")
        << response.substr(0, 60);
    EXPECT_EQ(client.event(), "bad-upstream");
    EXPECT_EQ(client.response("HTTP/1.1 200 OK\r\n\r\n"), "");
  }
}

TEST(HttpProxy, a_stream_that_ends_before_the_response_is_a_502) {
  for (const char* part : {"", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 100 Continue\r\n\r\n"}) {
    Client client;
    client.send(kGet);
    client.event();
    client.result(OpenResult::ok);
    client.response(part);
    EXPECT_EQ(status_of(client.response_end()), "HTTP/1.1 502 Bad Gateway") << part;
    EXPECT_EQ(client.event(), "bad-upstream");
  }
}

TEST(HttpProxy, a_bad_body_is_a_400_only_until_the_response_has_begun) {
  const std::string head =
      "POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  Client before;
  before.send(head);
  EXPECT_EQ(status_of(before.send("x\r\n")), "HTTP/1.1 400 Bad Request");
  EXPECT_EQ(before.event(), "a:80");
  EXPECT_EQ(before.event(), "malformed-http");

  Client after;
  after.send(head);
  after.result(OpenResult::ok);
  after.response("HTTP/1.1 200 OK\r\n\r\n");
  EXPECT_EQ(after.send("x\r\n"), "");
  EXPECT_EQ(after.exchange.state, State::closing);
}

}  // namespace
}  // namespace karst::stream::proxy
