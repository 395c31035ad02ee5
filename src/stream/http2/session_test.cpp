#include "stream/http2/session.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/prng.h"
#include "stream/http2/http2_pair.h"

namespace karst::stream::http2 {
namespace {

using Log = std::vector<std::string>;

ByteVector random_bytes(std::size_t count, std::uint64_t seed) {
  ByteVector bytes(count);
  Prng(seed).fill(bytes);
  return bytes;
}

TEST(Session, the_client_opens_like_a_browser_byte_for_byte) {
  Recorder recorder;
  ClientSession client({}, recorder);
  const std::string_view expected(
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
      "\x00\x00\x18\x04\x00\x00\x00\x00\x00"
      "\x00\x01\x00\x01\x00\x00"                               // HEADER_TABLE_SIZE 65,536
      "\x00\x02\x00\x00\x00\x00"                               // ENABLE_PUSH 0
      "\x00\x04\x00\x60\x00\x00"                               // INITIAL_WINDOW_SIZE 6,291,456
      "\x00\x06\x00\x04\x00\x00"                               // MAX_HEADER_LIST_SIZE 262,144
      "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\xef\x00\x01",  // + 15,663,105
      24 + 9 + 24 + 13);
  EXPECT_EQ(as_text(poll_all(client)), expected);
  EXPECT_EQ(client.local_window(kConnection), 15'728'640);
}

TEST(Session, the_server_offers_extended_connect_in_its_first_bytes) {
  Recorder recorder;
  ServerSession server({}, recorder);
  const std::string_view expected(
      "\x00\x00\x18\x04\x00\x00\x00\x00\x00"
      "\x00\x03\x00\x00\x00\x64"                               // MAX_CONCURRENT_STREAMS 100
      "\x00\x04\x00\x01\x00\x00"                               // INITIAL_WINDOW_SIZE 65,536
      "\x00\x06\x00\x00\x80\x00"                               // MAX_HEADER_LIST_SIZE 32,768
      "\x00\x08\x00\x00\x00\x01"                               // ENABLE_CONNECT_PROTOCOL 1
      "\x00\x00\x04\x08\x00\x00\x00\x00\x00\x00\x0f\x00\x01",  // + 983,041
      9 + 24 + 13);
  EXPECT_EQ(as_text(poll_all(server)), expected);
}

TEST(Session, a_request_and_its_answer_are_told_in_order) {
  SessionPair pair;
  RequestHead head = get_request("/a?b");
  head.fields = {{"accept", "text/html"}, {"x-proof", "secret", true}};
  const auto stream = pair.client.request(head, nullptr);
  ASSERT_TRUE(stream.ok());
  pair.carry();
  ASSERT_EQ(pair.server_saw.log, (Log{"settings", "request 1 GET /a?b", "end 1"}));
  EXPECT_EQ(pair.server_saw.requests[1].fields, head.fields);
  EXPECT_EQ(pair.server_saw.requests[1].authority, "site.example");
  EXPECT_EQ(pair.server_saw.requests[1].scheme, "https");
  MessageQueue body;
  body.push(to_vector(as_bytes("hello ")));
  body.push(to_vector(as_bytes("world")));
  body.finish();
  const ResponseHead answer{200, {{"content-type", "text/plain"}, {"content-length", "11"}}};
  pair.server.respond(*stream, answer, &body);
  pair.carry();
  EXPECT_EQ(pair.client_saw.log, (Log{"settings", "response 1 200", "end 1", "closed 1 NO_ERROR"}));
  EXPECT_EQ(pair.client_saw.responses[1].fields, answer.fields);
  EXPECT_EQ(as_text(pair.client_saw.bodies[1]), "hello world");
  EXPECT_EQ(pair.server_saw.log.back(), "closed 1 NO_ERROR");
  EXPECT_EQ(pair.server_saw.count("closed"), 1u);
}

TEST(Session, cookies_in_several_fields_are_joined_in_their_order) {
  EXPECT_EQ(joined_cookies({{"a", "1"}, {"cookie", "x=2"}, {"b", "3"}, {"cookie", "y=4; z=5"}}),
            "x=2; y=4; z=5");
  EXPECT_EQ(joined_cookies({{"a", "1"}}), "");
}

TEST(Session, informational_responses_and_trailers_are_not_told) {
  Recorder recorder;
  ClientSession client({}, recorder);
  (void)client.feed(make_frame(kSettings, 0, 0, {}));
  ASSERT_TRUE(client.request(get_request(), nullptr).ok());
  poll_all(client);
  // 103 as a literal, then 200 and trailers from the static table and as a literal.
  const auto headers = [](std::uint8_t flags, std::string_view block) {
    return make_frame(kHeaders, flags | kEndHeaders, 1, as_bytes(block));
  };
  ASSERT_TRUE(client
                  .feed(headers(0,
                                "\x48\x03"
                                "103"))
                  .ok());
  ASSERT_TRUE(client.feed(headers(0, "\x88")).ok());
  ASSERT_TRUE(client.feed(make_frame(kData, 0, 1, as_bytes("x"))).ok());
  ASSERT_TRUE(client
                  .feed(headers(kEndStream,
                                "\x40\x01"
                                "t\x01"
                                "v"))
                  .ok());
  EXPECT_EQ(recorder.log, (Log{"settings", "response 1 200", "end 1", "closed 1 NO_ERROR"}));
  EXPECT_TRUE(recorder.responses[1].fields.empty());
}

TEST(Session, extended_connect_waits_for_the_servers_settings) {
  Recorder recorder;
  ClientSession client({}, recorder);
  EXPECT_FALSE(client.peer_allows_connect());
  auto refused = client.request(connect_request(), nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().is(kNoExtendedConnect));
  ASSERT_TRUE(client.feed(make_frame(kSettings, 0, 0, {})).ok());
  refused = client.request(connect_request(), nullptr);
  EXPECT_TRUE(refused.error().is(kNoExtendedConnect));
  const ByteVector enable{0, 8, 0, 0, 0, 1};
  ASSERT_TRUE(client.feed(make_frame(kSettings, 0, 0, enable)).ok());
  EXPECT_TRUE(client.peer_allows_connect());
  EXPECT_TRUE(client.request(connect_request(), nullptr).ok());
}

TEST(Session, a_tunnel_carries_messages_both_ways_until_both_have_ended) {
  SessionPair pair;
  MessageQueue up;
  MessageQueue down;
  const auto tunnel = pair.client.request(connect_request(), &up);
  ASSERT_TRUE(tunnel.ok());
  up.push(to_vector(as_bytes("in the first flight")));
  pair.carry();
  const StreamId id = *tunnel;
  EXPECT_EQ(pair.server_saw.requests[id].protocol, "websocket");
  EXPECT_EQ(pair.server_saw.requests[id].method, "CONNECT");
  EXPECT_EQ(as_text(pair.server_saw.bodies[id]), "in the first flight");
  pair.server.respond(id, {200, {}}, &down);
  pair.carry();
  for (int i = 0; i < 3; ++i) {
    up.push(to_vector(as_bytes("+up")));
    pair.client.resume(id);
    down.push(to_vector(as_bytes("+down")));
    pair.server.resume(id);
    pair.carry();
  }
  EXPECT_EQ(as_text(pair.server_saw.bodies[id]), "in the first flight+up+up+up");
  EXPECT_EQ(as_text(pair.client_saw.bodies[id]), "+down+down+down");
  up.finish();
  pair.client.resume(id);
  pair.carry();
  EXPECT_EQ(pair.server_saw.log.back(), "end 1");
  down.finish();
  pair.server.resume(id);
  pair.carry();
  EXPECT_EQ(pair.server_saw.log.back(), "closed 1 NO_ERROR");
  EXPECT_EQ(pair.client_saw.log.back(), "closed 1 NO_ERROR");
}

TEST(Session, a_reset_ends_the_stream_on_both_sides_with_its_code) {
  SessionPair pair;
  MessageQueue up;
  const StreamId id = *pair.client.request(connect_request(), &up);
  pair.carry();
  pair.client.reset(id, kCancel);
  pair.carry();
  EXPECT_EQ(pair.client_saw.log.back(), "closed 1 CANCEL");
  EXPECT_EQ(pair.server_saw.log.back(), "closed 1 CANCEL");
  MessageQueue down;
  pair.server.respond(id, {200, {}}, &down);
  pair.server.resume(id);
  pair.server.reset(id, kCancel);
  EXPECT_TRUE(poll_all(pair.server).empty());
  EXPECT_EQ(pair.server_saw.count("closed"), 1u);
}

TEST(Session, a_proper_close_says_goaway_ends_every_stream_and_is_silent) {
  SessionPair pair;
  MessageQueue up;
  ASSERT_TRUE(pair.client.request(connect_request(), &up).ok());
  ASSERT_TRUE(pair.client.request(get_request(), nullptr).ok());
  pair.carry();
  pair.server.close(kNoError);
  pair.carry();
  EXPECT_EQ(pair.server_saw.count("closed"), 2u);
  EXPECT_TRUE(pair.server.finished());
  EXPECT_FALSE(pair.server.error());
  EXPECT_EQ(pair.client_saw.count("goaway 3 NO_ERROR"), 1u);
  const auto refused = pair.client.request(get_request(), nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_TRUE(refused.error().is(kNoNewStreams));
  EXPECT_TRUE(pair.server.feed(make_frame(kPing, 0, 0, ByteVector(8))).ok());
  EXPECT_TRUE(poll_all(pair.server).empty());
}

// The same bytes, whole or in pieces, tell the same story and bring the same answer.
TEST(Session, how_the_input_is_cut_changes_nothing) {
  Recorder recorder;
  ClientSession client({}, recorder);
  MessageQueue up;
  for (int i = 0; i < 20; ++i) up.push(random_bytes(1 + 500 * static_cast<std::size_t>(i), 5));
  ASSERT_TRUE(client.request(get_request("/first"), nullptr).ok());
  (void)client.feed(make_frame(kSettings, 0, 0, ByteVector{0, 8, 0, 0, 0, 1}));
  ASSERT_TRUE(client.request(connect_request(), &up).ok());
  const ByteVector wire = poll_all(client);
  std::vector<Log> logs;
  std::vector<ByteVector> answers;
  for (const std::size_t cut :
       {std::size_t{1}, std::size_t{2}, std::size_t{13}, std::size_t{999}, wire.size()}) {
    Recorder saw;
    ServerSession server({}, saw);
    for (Bytes rest = wire; !rest.empty();) {
      const Bytes piece = rest.first(std::min(cut, rest.size()));
      ASSERT_TRUE(server.feed(piece).ok());
      rest = rest.subspan(piece.size());
    }
    EXPECT_GT(saw.bodies[3].size(), 50'000u);
    logs.push_back(saw.log);
    answers.push_back(poll_all(server));
  }
  for (std::size_t i = 1; i < logs.size(); ++i) {
    EXPECT_EQ(logs[i], logs[0]);
    EXPECT_EQ(answers[i], answers[0]);
  }
}

TEST(Session, polling_twice_gives_nothing_the_second_time) {
  SessionPair pair;
  ASSERT_TRUE(pair.client.request(get_request(), nullptr).ok());
  EXPECT_FALSE(poll_all(pair.client).empty());
  EXPECT_TRUE(poll_all(pair.client).empty());
  EXPECT_TRUE(poll_all(pair.server).empty());
}

}  // namespace
}  // namespace karst::stream::http2
