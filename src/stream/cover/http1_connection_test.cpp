#include "stream/cover/http1_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "stream/cover/http1_test_support.h"
#include "stream/cover/site.h"

namespace karst::stream::cover {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Ending = Exchange::Ending;

FileTree files() {
  FileTree tree;
  tree["/index.html"] = {to_vector(as_bytes("<p>front</p>\n")), {784'000'000}};
  tree["/big.bin"] = {ByteVector(100'000, 'b'), {784'000'000}};
  return tree;
}

constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
constexpr std::string_view kFront =
    "HTTP/1.1 200 OK\r\n"
    "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
    "Content-Type: text/html\r\n"
    "Content-Length: 13\r\n"
    "Last-Modified: Sat, 05 Nov 1994 01:46:40 GMT\r\n"
    "ETag: \"2ebae400-d\"\r\n"
    "Accept-Ranges: bytes\r\n"
    "Connection: keep-alive\r\n"
    "\r\n"
    "<p>front</p>\n";

class OverSite : public testing::Test {
 protected:
  Site site_{files(), "/live"};
  Http1Client client_{site_};
};

TEST_F(OverSite, a_page_comes_with_ordinary_headers_in_an_ordinary_order) {
  EXPECT_EQ(client_.send(kGet), kFront);
  EXPECT_FALSE(client_.finished());
}

TEST_F(OverSite, requests_are_answered_in_order_however_they_are_cut) {
  const std::string requests = std::string(kGet) + "\r\n" +
                               "POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" +
                               "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" +
                               "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                               "5;x=y\r\nhello\r\n0\r\nTrailer: x\r\n\r\n" +
                               std::string(kGet);
  const std::string whole = client_.send(requests);
  EXPECT_THAT(whole, StartsWith(kFront));
  EXPECT_THAT(whole, EndsWith(kFront));

  for (std::size_t piece : {1u, 2u, 3u, 7u, 50u}) {
    Http1Client other(site_);
    std::string received;
    for (std::size_t at = 0; at < requests.size(); at += piece) {
      received += other.send(std::string_view(requests).substr(at, piece));
    }
    EXPECT_EQ(received, whole) << piece;
  }
}

TEST_F(OverSite, head_says_what_get_would_without_the_body) {
  const std::string head(kFront.substr(0, kFront.find("\r\n\r\n") + 4));
  EXPECT_EQ(client_.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"), head);
}

TEST_F(OverSite, the_connection_ends_when_the_client_says_so) {
  const std::string close = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  EXPECT_THAT(client_.send(close), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client_.finished());
  EXPECT_EQ(client_.connection().error(), std::nullopt);
}

TEST_F(OverSite, http_10_ends_after_one_answer_unless_asked_to_go_on) {
  EXPECT_THAT(client_.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
              HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_FALSE(client_.finished());
  EXPECT_THAT(client_.send("GET / HTTP/1.0\r\n\r\n"), HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverSite, a_target_with_scheme_and_host_is_the_same_as_its_path) {
  EXPECT_EQ(client_.send("GET http://b/ HTTP/1.1\r\nHost: a\r\n\r\n"), kFront);
  EXPECT_EQ(client_.send("GET HTTPS://b?x HTTP/1.1\r\nHost: a\r\n\r\n"), kFront);
}

// Each as nginx 1.22 answers, but for those it reads leniently: bare LF and HTTP/0.9.
TEST_F(OverSite, a_bad_request_is_told_so_and_ends_the_connection) {
  const std::string body = "Transfer-Encoding: chunked\r\n\r\n";
  const std::pair<std::string, int> kTable[] = {
      {"garbage\r\n\r\n", 400},
      {"GET /\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400},
      {"GET x HTTP/1.1\r\nHost: a\r\n\r\n", 400},
      {"GET / HTTP/1.1\nHost: a\n\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX : b\r\n\r\n", 400},
      {"GET / HTTP/1.1\r\nHost: a\r\nX: \x01\r\n\r\n", 400},
      {"GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"OPTIONS / RTSP/1.0\r\n\r\n", 400},
      {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n" + body, 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
       400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +3\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 400},
      {"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501},
      {"POST / HTTP/1.0\r\nHost: a\r\n" + body, 400},
      {"\x16\x03\x01\x02\x05", 400},
  };
  for (const auto& [request, status] : kTable) {
    Http1Client client(site_);
    const std::string answer = client.send(request);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 " + std::to_string(status))) << request;
    EXPECT_THAT(answer, HasSubstr("\r\nConnection: close\r\n")) << request;
    EXPECT_TRUE(client.finished()) << request;
    EXPECT_TRUE(client.connection().error() && client.connection().error()->is(kBadRequest));
    EXPECT_EQ(client.send(kGet), "") << request;
    EXPECT_EQ(client.unread(), 0u);
  }
}

TEST_F(OverSite, a_bad_request_behind_good_ones_is_answered_last) {
  const std::string received = client_.send(std::string(kGet) + "nonsense\r\n\r\n");
  EXPECT_THAT(received, StartsWith(std::string(kFront) + "HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverSite, a_head_of_32_KiB_is_read_and_one_above_is_too_large) {
  for (std::size_t size : {32u * 1024 - 1, 32u * 1024, 32u * 1024 + 1}) {
    Http1Client client(site_);
    std::string request = "GET / HTTP/1.1\r\nHost: a\r\nX: \r\n\r\n";
    request.insert(request.size() - 4, size - request.size(), 'x');
    const std::string answer = client.send(request);
    const bool fits = size <= 32 * 1024;
    EXPECT_THAT(answer, StartsWith(fits ? "HTTP/1.1 200 " : "HTTP/1.1 431 ")) << size;
    EXPECT_EQ(client.finished(), !fits);
  }
  EXPECT_THAT(client_.send("GET /" + std::string(40'000, 'a')), StartsWith("HTTP/1.1 414 "));
}

TEST_F(OverSite, too_many_headers_are_too_large) {
  for (std::size_t count : {kHeadersMax, kHeadersMax + 1}) {
    Http1Client client(site_);
    std::string request = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (std::size_t i = 1; i < count; ++i) request += "X: y\r\n";
    const std::string answer = client.send(request + "\r\n");
    EXPECT_THAT(answer, StartsWith(count == kHeadersMax ? "HTTP/1.1 200 " : "HTTP/1.1 431 "));
  }
}

TEST_F(OverSite, a_body_announced_too_large_is_refused_before_it_comes) {
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ";
  EXPECT_THAT(client_.send(head + std::to_string(kBodyBytesMax + 1) + "\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
  EXPECT_TRUE(client_.finished());
  Http1Client other(site_);
  EXPECT_THAT(other.send(head + std::to_string(kBodyBytesMax) + "\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_FALSE(other.finished());
}

TEST_F(OverSite, a_stream_of_chunks_or_of_chunk_extensions_ends_somewhere) {
  for (const std::string& flood : {"1000\r\n" + std::string(4096, 'x') + "\r\n",
                                   "1;" + std::string(4096, 'e') + "\r\nx\r\n"}) {
    Http1Client client(site_);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    std::size_t sent = 0;
    for (; !client.finished() && sent < 4 * kBodyBytesMax; sent += flood.size()) client.send(flood);
    EXPECT_LE(sent, kFramedBodyBytesMax + 2 * flood.size());
  }
}

TEST_F(OverSite, an_upgrade_elsewhere_than_on_the_socket_is_not_heeded) {
  const std::string handshake =
      "Host: a\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  EXPECT_EQ(client_.send("GET / HTTP/1.1\r\n" + handshake + std::string(kGet)),
            std::string(kFront) + std::string(kFront));
}

TEST_F(OverSite, the_socket_opens_with_the_key_of_rfc_6455_and_talks) {
  const std::string answer = client_.send(
      "GET /live HTTP/1.1\r\nHost: a\r\nUpgrade: WebSocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 101 Switching Protocols\r\n"
                                 "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
                                 "Connection: upgrade\r\nUpgrade: websocket\r\n"
                                 "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n\x81"));
  EXPECT_THAT(answer, EndsWith("\"visitors\":1}"));
  // A masked close frame of 1000, and the echo.
  EXPECT_EQ(client_.send(std::string_view("\x88\x82\0\0\0\0\x03\xe8", 8)), "\x88\x02\x03\xe8");
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverSite, a_bad_handshake_on_the_socket_is_a_bad_request) {
  const std::string answer = client_.send("GET /live HTTP/1.1\r\nHost: a\r\n\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(answer, HasSubstr("\r\nSec-WebSocket-Version: 13\r\n"));
}

TEST_F(OverSite, output_is_the_same_whatever_the_space) {
  const std::string request = "GET /big.bin HTTP/1.1\r\nHost: a\r\n\r\n";
  const std::string whole = client_.send(request);
  EXPECT_EQ(whole.size() - whole.find("\r\n\r\n") - 4, 100'000u);
  for (std::size_t space : {1u, 17u, 100'000u}) {
    Http1Client other(site_);
    other.connection().handle_input(as_bytes(request), other.moment);
    EXPECT_EQ(other.poll(space), whole) << space;
  }
}

TEST_F(OverSite, a_path_that_cannot_be_is_the_end_but_a_page_that_is_not_there_is_not) {
  EXPECT_THAT(client_.send("GET /nope HTTP/1.1\r\nHost: a\r\n\r\n"),
              HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(client_.send("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n"),
              HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client_.finished());
}

class OverScript : public testing::Test {
 protected:
  static constexpr std::string_view kPost =
      "POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n";

  void answer(Response head, std::string body = "", Ending ending = Ending::complete) {
    handler_.script.response = std::move(head);
    handler_.script.output = std::move(body);
    handler_.script.ending = ending;
  }

  ScriptedHandler handler_;
  Http1Client client_{handler_};
};

TEST_F(OverScript, a_request_arrives_as_a_value) {
  client_.send(
      "POST http://b:1/p?q HTTP/1.1\r\nHOST: a\r\nX-One:  1 \t\r\nContent-Length: 5\r\n\r\n");
  const Request& request = handler_.script.request;
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.scheme, "https");
  EXPECT_EQ(request.authority, "b:1");
  EXPECT_EQ(request.path, "/p?q");
  EXPECT_EQ(request.client, "192.0.2.7");
  EXPECT_TRUE(request.has_body);
  EXPECT_EQ(request.headers.size(), 2u);
  EXPECT_EQ(request.headers.find("x-one"), "1");
}

TEST_F(OverScript, a_body_is_read_only_as_far_as_there_is_room) {
  handler_.script.room = 0;
  client_.send(std::string(kPost) + "hello");
  EXPECT_EQ(client_.unread(), 5u);
  handler_.script.room = 2;
  client_.pump();
  EXPECT_EQ(handler_.script.input, "hello");
  EXPECT_TRUE(handler_.script.input_ended);
}

TEST_F(OverScript, the_next_request_waits_until_this_one_is_answered) {
  client_.send(std::string(kGet) + std::string(kGet));
  EXPECT_EQ(handler_.begun, 1);
  EXPECT_EQ(client_.unread(), kGet.size());
  answer(response(200, {{"content-length", "2"}}), "ok");
  EXPECT_THAT(client_.pump(), EndsWith("\r\n\r\nok"));
  EXPECT_EQ(handler_.begun, 2);
}

TEST_F(OverScript, a_body_of_unknown_length_is_chunked) {
  client_.send(kGet);
  answer(response(200), "hello", Ending::open);
  EXPECT_EQ(client_.pump(),
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: keep-alive\r\n\r\n"
            "5\r\nhello\r\n");
  handler_.script.output = std::string(26, 'x');
  handler_.script.ending = Ending::complete;
  EXPECT_EQ(client_.pump(), "1a\r\n" + std::string(26, 'x') + "\r\n0\r\n\r\n");
  EXPECT_FALSE(client_.finished());
}

TEST_F(OverScript, for_http_10_a_body_of_unknown_length_ends_with_the_connection) {
  client_.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  answer(response(200), "hello");
  EXPECT_EQ(client_.pump(), "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello");
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverScript, answers_that_have_no_body_are_not_framed) {
  for (int status : {204, 304}) {
    client_.send(kGet);
    answer(response(status));
    EXPECT_THAT(client_.pump(), EndsWith("\r\nConnection: keep-alive\r\n\r\n"));
  }
  client_.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
  answer(response(200));
  EXPECT_THAT(client_.pump(), EndsWith("\r\nConnection: keep-alive\r\n\r\n"));
  EXPECT_FALSE(client_.finished());
}

TEST_F(OverScript, a_broken_answer_ends_the_connection_in_the_middle) {
  client_.send(kGet);
  answer(response(200, {{"content-length", "10"}}), "hel", Ending::open);
  EXPECT_THAT(client_.pump(), EndsWith("hel"));
  handler_.script.ending = Ending::broken;
  EXPECT_EQ(client_.pump(), "");
  EXPECT_TRUE(client_.finished());
  EXPECT_TRUE(handler_.script.is_gone);
}

TEST_F(OverScript, a_client_that_holds_its_body_back_is_told_to_go_on_when_there_is_room) {
  const std::string head =
      "PUT /p HTTP/1.1\r\nHost: a\r\nExpect: 100-Continue\r\nContent-Length: 5\r\n\r\n";
  handler_.script.room = 0;
  EXPECT_EQ(client_.send(head), "");
  handler_.script.room = 100;
  EXPECT_EQ(client_.pump(), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_EQ(client_.pump(), "");
  client_.send("hello");
  answer(response(200, {{"content-length", "0"}}));
  EXPECT_THAT(client_.pump(), HasSubstr("\r\nConnection: keep-alive\r\n"));
}

TEST_F(OverScript, a_client_that_need_not_send_its_body_is_told_so_and_not_read_on) {
  answer(response(405, {{"content-length", "0"}}));
  const std::string received = client_.send(
      "PUT /p HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n");
  EXPECT_THAT(received, StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(received, HasSubstr("\r\nConnection: close\r\n"));
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverScript, a_body_that_comes_after_its_answer_is_dropped_before_the_next_request) {
  answer(response(404, {{"content-length", "0"}}));
  EXPECT_THAT(client_.send(kPost), StartsWith("HTTP/1.1 404 "));
  EXPECT_EQ(client_.send("hel"), "");
  client_.send("lo" + std::string(kGet));
  EXPECT_EQ(handler_.begun, 2);
  EXPECT_EQ(handler_.script.request.method, "GET");
}

TEST_F(OverScript, a_bad_chunk_is_a_bad_request_before_the_answer_and_its_end_after_it) {
  const std::string head = "POST /p HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(client_.send(head + "zz\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(handler_.script.is_gone);

  Http1Client other(handler_);
  other.send(head);
  answer(response(200), "some", Ending::open);
  other.pump();
  EXPECT_EQ(other.send("zz\r\n" + std::string(kGet)), "");
  handler_.script.output = "more";
  handler_.script.ending = Ending::complete;
  EXPECT_EQ(other.pump(), "4\r\nmore\r\n0\r\n\r\n");
  EXPECT_TRUE(other.finished());
  EXPECT_TRUE(other.connection().error()->is(kBadRequest));
}

TEST_F(OverScript, a_socket_carries_bytes_both_ways_and_ends_with_either_side) {
  const std::string handshake =
      "GET /s HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
  client_.send(handshake + "early");
  EXPECT_EQ(handler_.script.request.protocol, "websocket");
  EXPECT_EQ(handler_.script.input, "");
  Response accepted = response(101);
  accepted.is_socket = true;
  answer(accepted, "hi", Ending::open);
  EXPECT_THAT(client_.pump(), EndsWith("\r\n\r\nhi"));
  client_.send(" late");
  EXPECT_EQ(handler_.script.input, "early late");
  EXPECT_FALSE(handler_.script.input_ended);
  client_.end();
  EXPECT_TRUE(handler_.script.input_ended);
  handler_.script.output = "bye";
  handler_.script.ending = Ending::complete;
  EXPECT_EQ(client_.pump(), "bye");
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverScript, a_refused_socket_leaves_the_connection_as_it_was) {
  answer(response(404, {{"content-length", "0"}}));
  client_.send(
      "GET /s HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  client_.send(kGet);
  EXPECT_EQ(handler_.begun, 2);
}

TEST_F(OverScript, the_end_of_the_client_leaves_a_whole_request_to_be_answered) {
  client_.send(kGet);
  client_.end();
  EXPECT_FALSE(client_.finished());
  answer(response(200, {{"content-length", "2"}}), "ok");
  EXPECT_THAT(client_.pump(), HasSubstr("\r\nConnection: close\r\n\r\nok"));
  EXPECT_TRUE(client_.finished());
}

TEST_F(OverScript, the_end_of_the_client_within_a_request_is_the_end) {
  for (std::string_view part :
       {"", "GET /", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx"}) {
    Http1Client client(handler_);
    client.send(part);
    EXPECT_EQ(client.end(), "");
    EXPECT_TRUE(client.finished()) << part;
  }
}

TEST_F(OverScript, each_wait_for_the_client_has_its_limit) {
  struct {
    std::string_view sent;
    long seconds;
    bool is_error;
  } const kTable[] = {
      {"", 60, false},
      {"GET / HT", 60, true},
      {"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx", 60, true},
  };
  for (const auto& row : kTable) {
    Http1Client client(handler_);
    client.moment.now += 7s;
    client.send(row.sent);
    EXPECT_EQ(client.run_to_deadline(), row.sent.empty() ? row.seconds - 7 : row.seconds);
    EXPECT_TRUE(client.finished()) << row.sent;
    EXPECT_EQ(client.poll(), "");
    EXPECT_EQ(client.connection().error().has_value(), row.is_error) << row.sent;
  }
}

TEST_F(OverScript, a_head_that_drips_in_has_60_seconds_and_an_idle_connection_75) {
  client_.send(kGet);
  answer(response(200, {{"content-length", "0"}}));
  client_.pump();
  for (char c : std::string("GET")) {
    client_.moment.now += 20s;
    client_.send({&c, 1});
  }
  EXPECT_EQ(client_.run_to_deadline(), 20);
  EXPECT_TRUE(client_.finished());

  Http1Client idle(handler_);
  idle.send(kGet);
  answer(response(200, {{"content-length", "0"}}));
  idle.pump();
  EXPECT_EQ(idle.run_to_deadline(), 75);
  EXPECT_TRUE(idle.finished());
  EXPECT_EQ(idle.connection().error(), std::nullopt);
}

TEST_F(OverScript, a_client_that_takes_nothing_of_its_answer_has_60_seconds) {
  client_.send(kGet);
  answer(response(200, {{"content-length", "100"}}), std::string(100, 'x'));
  ByteVector space(10);
  for (int i = 0; i < 3; ++i) {
    client_.moment.now += 59s;
    ASSERT_TRUE(client_.connection().poll_output(space, client_.moment));
  }
  EXPECT_EQ(client_.run_to_deadline(), 60);
  EXPECT_TRUE(client_.finished());
  EXPECT_TRUE(client_.connection().error()->is(kClientTimeout));
}

TEST_F(OverScript, waiting_for_the_site_is_limited_by_the_site_alone) {
  client_.send(kGet);
  EXPECT_EQ(client_.connection().next_deadline(), std::nullopt);
  handler_.script.deadline = client_.moment.now + 300s;
  EXPECT_EQ(client_.run_to_deadline(), 300);
  EXPECT_TRUE(handler_.script.deadline_handled);
  EXPECT_FALSE(client_.finished());
}

}  // namespace
}  // namespace karst::stream::cover
