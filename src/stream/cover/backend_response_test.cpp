#include "stream/cover/backend_response.h"

#include <gtest/gtest.h>

#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

using State = BackendResponse::State;

constexpr Moment kMoment{TimePoint(1000s), {784'111'777}};

std::string drained(BackendResponse& response) {
  std::string all;
  ByteQueue& body = response.body();
  while (!body.empty()) {
    all += as_text(body.front());
    body.consume(body.front().size());
  }
  return all;
}

std::string names(const Response& head) {
  std::string all;
  for (const Header& header : head.headers) all += header.name + " ";
  return all;
}

// Head, body and final state as one text, fed in pieces of that size.
std::string outcome(std::string_view sent, std::size_t piece, bool ends,
                    BackendResponse::Expected expected = {}) {
  BackendResponse response(std::move(expected));
  std::string body;
  for (std::size_t at = 0; at < sent.size(); at += piece) {
    response.receive(as_bytes(sent.substr(at, piece)));
  }
  if (ends) response.end();
  const auto head = response.poll_head(kMoment);
  std::string all = head ? std::to_string(head->status) + " " + names(*head) : "no head ";
  if (response.state() == State::failed) return all + "failed";
  all += "'" + drained(response) + "'";
  return all + (response.state() == State::complete ? " complete" : " open");
}

TEST(BackendResponse, is_read_the_same_however_it_is_cut) {
  const std::string ok = "HTTP/1.1 200 OK\r\nServer: b\r\n";
  struct {
    std::string sent;
    bool ends;
    std::string outcome;
  } const kTable[] = {
      {ok + "Content-Length: 5\r\n\r\nhello", false,
       "200 date server content-length 'hello' complete"},
      {ok + "Content-Length: 5\r\n\r\nhel", false, "200 date server content-length 'hel' open"},
      {ok + "Content-Length: 5\r\n\r\nhel", true, "200 date server content-length failed"},
      {ok + "Content-Length: 5\r\n\r\nhellomore", false,
       "200 date server content-length 'hello' complete"},
      {ok + "Content-Length: 5\r\n\r\nhelloHTTP/1.1 500 No\r\nX: y\r\n\r\n", false,
       "200 date server content-length 'hello' complete"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x\r\nlo\r\n0\r\nT: x\r\n\r\n", false,
       "200 date server 'hello' complete"},
      {ok + "Transfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n", true, "200 date server failed"},
      {ok + "\r\nhello", true, "200 date server 'hello' complete"},
      {ok + "\r\nhello", false, "200 date server 'hello' open"},
      {"HTTP/1.0 200 OK\r\nDate: x\r\n\r\n", true, "200 date '' complete"},
      {"HTTP/1.1 100 Continue\r\nX: y\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n", false,
       "200 date server content-length '' complete"},
      {"HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 102 P\r\n\r\n" + ok + "Content-Length: 0\r\n\r\n", false,
       "200 date server content-length '' complete"},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n", false, "204 date '' complete"},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", false,
       "304 date content-length '' complete"},
      {ok + "Connection: x-a, close\r\nX-A: 1\r\nKeep-Alive: 3\r\nContent-Length: 0\r\n\r\n", false,
       "200 date server content-length '' complete"},
      {"", true, "no head failed"},
      {"garbage\r\n", false, "no head failed"},
      {"HTTP/1.1 200 OK\r\nX", true, "no head failed"},
      {"HTTP/1.1 099 Odd\r\n\r\n", false, "no head failed"},
      {ok + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n", false, "no head failed"},
      {ok + "Content-Length: 5\r\nContent-Length: 6\r\n\r\n", false, "no head failed"},
      {ok + "Transfer-Encoding: gzip\r\n\r\nxx", true, "no head failed"},
      {ok + "Bad Header: x\r\n\r\n", false, "no head failed"},
      {"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
       false, "no head failed"},
  };
  for (const auto& row : kTable) {
    for (std::size_t piece : {1ul, 2ul, 5ul, 10'000ul}) {
      EXPECT_EQ(outcome(row.sent, piece, row.ends), row.outcome) << piece << ": " << row.sent;
    }
  }
}

TEST(BackendResponse, of_a_head_request_has_no_body_whatever_its_length) {
  const std::string head =
      "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(kBodyBytesMax + 1) + "\r\n\r\n";
  EXPECT_EQ(outcome(head, 3, false, {.answers_head = true, .socket_key = {}}),
            "200 date content-length '' complete");
}

TEST(BackendResponse, becomes_a_socket_when_the_key_was_understood) {
  const std::string key = "dGhlIHNhbXBsZSBub25jZQ==";
  const auto answer = [](const std::string& accept) {
    return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
           "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Accept: " +
           accept + "\r\n\r\n\x81\x01x\x81\x01y";
  };
  const std::string accept = websocket::accept_key(key);
  for (std::size_t piece : {1ul, 7ul, 10'000ul}) {
    EXPECT_EQ(outcome(answer(accept), piece, false, {.answers_head = false, .socket_key = key}),
              "101 date sec-websocket-protocol '\x81\x01x\x81\x01y' open");
    EXPECT_EQ(outcome(answer(accept), piece, true, {.answers_head = false, .socket_key = key}),
              "101 date sec-websocket-protocol '\x81\x01x\x81\x01y' complete");
  }
  EXPECT_EQ(outcome(answer("wrong"), 7, false, {.answers_head = false, .socket_key = key}),
            "no head failed");
}

TEST(BackendResponse, has_a_head_of_at_most_64_KiB) {
  for (std::size_t size : {64u * 1024 - 1, 64u * 1024, 64u * 1024 + 1}) {
    std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: \r\n\r\n";
    head.insert(head.size() - 4, size - head.size(), 'x');
    const bool fits = size <= 64 * 1024;
    EXPECT_EQ(outcome(head, 1000, false),
              fits ? "200 date content-length x '' complete" : "no head failed")
        << size;
  }
}

TEST(BackendResponse, interim_answers_without_end_are_a_failure) {
  BackendResponse response({});
  const std::string interim = "HTTP/1.1 102 Processing\r\n\r\n";
  std::size_t sent = 0;
  for (; response.state() == State::head; sent += interim.size()) {
    ASSERT_LE(sent, kResponseHeaderBytesMax);
    response.receive(as_bytes(interim));
  }
  EXPECT_EQ(response.state(), State::failed);
}

TEST(BackendResponse, has_a_body_of_at_most_8_MiB) {
  for (std::uint64_t size : {kBodyBytesMax - 1, kBodyBytesMax, kBodyBytesMax + 1}) {
    const bool fits = size <= kBodyBytesMax;
    BackendResponse announced({});
    announced.receive(
        as_bytes("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(size) + "\r\n\r\n"));
    EXPECT_EQ(announced.state(), fits ? State::body : State::failed) << size;

    BackendResponse unannounced({});
    unannounced.receive(as_bytes("HTTP/1.1 200 OK\r\n\r\n"));
    unannounced.receive(ByteVector(size, 'x'));
    unannounced.end();
    EXPECT_EQ(unannounced.state(), fits ? State::complete : State::failed) << size;
    EXPECT_TRUE(unannounced.poll_head(kMoment));
  }
}

TEST(BackendResponse, holds_nothing_of_trailers) {
  BackendResponse response({});
  response.receive(as_bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nT: "));
  for (int i = 0; i < 1000; ++i) response.receive(ByteVector(10'000, 't'));
  response.receive(as_bytes("\r\n\r\n"));
  EXPECT_EQ(response.state(), State::complete);
  EXPECT_EQ(names(*response.poll_head(kMoment)), "date ");
}

}  // namespace
}  // namespace karst::stream::cover
