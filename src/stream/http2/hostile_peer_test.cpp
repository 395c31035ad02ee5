// What a server makes of clients, and a client of servers, that break the rules or overdo it.
#include <gtest/gtest.h>
#include <nghttp2/nghttp2.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "stream/http2/http2_pair.h"

namespace karst::stream::http2 {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

ByteVector header_block(const Pairs& pairs) {
  nghttp2_hd_deflater* deflater = nullptr;
  CHECK(nghttp2_hd_deflate_new(&deflater, 4096) == 0);
  std::vector<nghttp2_nv> list;
  const auto bytes = [](const std::string& text) {
    return const_cast<std::uint8_t*>(as_bytes(text).data());
  };
  for (const auto& [name, value] : pairs) {
    list.push_back({bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE});
  }
  ByteVector block(nghttp2_hd_deflate_bound(deflater, list.data(), list.size()));
  const auto size =
      nghttp2_hd_deflate_hd2(deflater, block.data(), block.size(), list.data(), list.size());
  nghttp2_hd_deflate_del(deflater);
  CHECK(size >= 0);
  block.resize(static_cast<std::size_t>(size));
  return block;
}

// A server whose client writes frames by hand.
struct HandFed {
  Recorder saw;
  ServerSession server{{}, saw};

  HandFed() {
    (void)server.feed(as_bytes(kPreface));
    (void)server.feed(make_frame(kSettings, 0, 0, {}));
    poll_all(server);
    (void)server.feed(make_frame(kSettings, kAck, 0, {}));
  }
  Result<void> get(StreamId id, std::uint8_t flags = kEndHeaders | kEndStream) {
    return server.feed(make_frame(kHeaders, flags, id, as_bytes(kGetBlock)));
  }
  // Repeats until refused; how often it went well.
  std::size_t until_refused(std::size_t most, const std::function<void(StreamId)>& once) {
    for (std::size_t i = 0; i < most; ++i) {
      once(static_cast<StreamId>(2 * i + 1));
      if (server.error()) return i;
    }
    return most;
  }
};

// The error has its name; GOAWAY with its code is the last frame; then there is silence.
void expect_end(Session& session, const ErrorKind& kind, std::uint32_t code) {
  const ByteVector last = poll_all(session);
  ASSERT_TRUE(session.error());
  EXPECT_TRUE(session.error()->is(kind)) << session.error()->kind().name;
  EXPECT_TRUE(session.finished());
  ASSERT_GE(last.size(), 17u);
  EXPECT_EQ(last.size(), 9u + last[2]) << "more than a GOAWAY";
  EXPECT_EQ(last[3], kGoaway);
  EXPECT_EQ(last[16], code);
  EXPECT_TRUE(session.feed(make_frame(kPing, 0, 0, ByteVector(8))).error().is(kind));
  EXPECT_TRUE(poll_all(session).empty());
}

TEST(HostileClient, malformed_requests_are_reset_and_not_told) {
  struct Case {
    const char* what;
    Pairs fields;
    bool told;
  };
  const Pairs get{{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":authority", "a"}};
  const auto with = [&get](Pairs more) {
    Pairs all = get;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const Case cases[] = {
      {"a GET", get, true},
      {"no method", {{":scheme", "https"}, {":path", "/"}, {":authority", "a"}}, false},
      {"no path", {{":method", "GET"}, {":scheme", "https"}, {":authority", "a"}}, false},
      {"no authority", {{":method", "GET"}, {":scheme", "https"}, {":path", "/"}}, false},
      {"two paths", with({{":path", "/b"}}), false},
      {"connection", with({{"connection", "close"}}), false},
      {"upgrade", with({{"upgrade", "websocket"}}), false},
      {"transfer-encoding", with({{"transfer-encoding", "chunked"}}), false},
      {"te: gzip", with({{"te", "gzip"}}), false},
      {"te: trailers", with({{"te", "trailers"}}), true},
      {"a capital letter", with({{"X-A", "b"}}), false},
      {"a pseudo-header of answers", with({{":status", "200"}}), false},
      {"a pseudo-header after a field", with({{"a", "b"}, {":protocol", "websocket"}}), false},
      {"GET with :protocol", with({{":protocol", "websocket"}}), false},
      {"extended CONNECT",
       {{":method", "CONNECT"},
        {":scheme", "https"},
        {":path", "/"},
        {":authority", "a"},
        {":protocol", "websocket"}},
       true},
      {"extended CONNECT without scheme",
       {{":method", "CONNECT"}, {":path", "/"}, {":authority", "a"}, {":protocol", "websocket"}},
       false},
      {"extended CONNECT without path",
       {{":method", "CONNECT"},
        {":scheme", "https"},
        {":authority", "a"},
        {":protocol", "websocket"}},
       false},
      {"extended CONNECT without authority",
       {{":method", "CONNECT"}, {":scheme", "https"}, {":path", "/"}, {":protocol", "websocket"}},
       false},
      {"plain CONNECT", {{":method", "CONNECT"}, {":authority", "a:1"}}, true},
      {"plain CONNECT with path",
       {{":method", "CONNECT"}, {":authority", "a:1"}, {":path", "/"}, {":scheme", "https"}},
       false},
  };
  for (const Case& c : cases) {
    HandFed hand;
    ASSERT_TRUE(
        hand.server.feed(make_frame(kHeaders, kEndHeaders, 1, header_block(c.fields))).ok());
    const ByteVector answer = poll_all(hand.server);
    EXPECT_EQ(hand.saw.count("request"), c.told ? 1u : 0u) << c.what;
    EXPECT_EQ(answer.empty(), c.told) << c.what;
    if (!c.told) {
      ASSERT_EQ(answer.size(), 13u) << c.what;
      EXPECT_EQ(answer[3], kRstStream) << c.what;
      EXPECT_EQ(answer[12], kProtocolError) << c.what;
    }
    EXPECT_FALSE(hand.server.error());
    EXPECT_EQ(hand.saw.count("closed"), 0u);
  }
}

TEST(HostileClient, a_header_list_over_32_kib_is_told_as_oversized_and_incomplete) {
  const Pairs get{{":method", "GET"}, {":scheme", "https"}, {":path", "/"}, {":authority", "a"}};
  std::size_t used = 0;
  for (const auto& [name, value] : get) used += name.size() + value.size() + 32;
  for (const int over : {-1, 0, 1}) {
    HandFed hand;
    Pairs pairs = get;
    // One field for all but 100 bytes of the bound, one for the rest.
    const std::size_t rest = kRequestHeaderBytesMax - used - 2 * (1 + 32) - 100;
    pairs.push_back({"a", std::string(rest, 'v')});
    pairs.push_back({"b", std::string(static_cast<std::size_t>(100 + over), 'v')});
    const ByteVector block = header_block(pairs);
    const std::size_t half = 16'000;
    ASSERT_TRUE(
        hand.server.feed(make_frame(kHeaders, kEndStream, 1, Bytes(block).first(half))).ok());
    ASSERT_TRUE(
        hand.server.feed(make_frame(kContinuation, kEndHeaders, 1, Bytes(block).subspan(half)))
            .ok());
    ASSERT_EQ(hand.saw.count("request"), 1u);
    EXPECT_EQ(hand.saw.requests[1].oversized, over > 0);
    EXPECT_EQ(hand.saw.requests[1].fields.size(), over > 0 ? 1u : 2u);
    EXPECT_EQ(hand.saw.requests[1].path, "/");
  }
}

TEST(HostileServer, a_header_list_over_64_kib_is_told_as_oversized) {
  for (const int over : {-1, 0, 1}) {
    SessionPair pair;
    const StreamId id = *pair.client.request(get_request(), nullptr);
    pair.carry();
    const std::size_t first = 32'000;
    const std::size_t last = kResponseHeaderBytesMax - (7 + 3 + 32) - 2 * (1 + 32) - first;
    const ResponseHead head{
        200,
        {{"a", std::string(first, 'v'), true},
         {"b", std::string(last + static_cast<std::size_t>(1 + over) - 1, 'v'), true}}};
    pair.server.respond(id, head, nullptr);
    pair.carry();
    ASSERT_EQ(pair.client_saw.count("response"), 1u);
    EXPECT_EQ(pair.client_saw.responses[id].oversized, over > 0) << over;
  }
}

TEST(HostileClient, something_other_than_http2_is_named_so) {
  Recorder recorder;
  ServerSession server({}, recorder);
  const auto fed = server.feed(as_bytes("GET / HTTP/1.1\r\nhost: a\r\n\r\n"));
  ASSERT_FALSE(fed.ok());
  EXPECT_TRUE(fed.error().is(kBadPreface));
}

TEST(HostileClient, a_broken_rule_ends_the_connection_with_goaway_and_silence) {
  struct Case {
    const char* what;
    ByteVector frame;
    std::uint32_t code;
  };
  const Case cases[] = {
      {"a frame over 16,384 bytes", make_frame(kData, 0, 1, ByteVector(16'385)), 6},
      {"DATA on stream 0", make_frame(kData, 0, 0, ByteVector(1)), 1},
      {"a window update of 0", make_frame(kWindowUpdate, 0, 0, ByteVector(4)), 1},
      {"a window beyond 2^31-1",
       make_frame(kWindowUpdate, 0, 0, ByteVector{0x7f, 0xff, 0xff, 0xff}), 3},
      {"a PING of 7 bytes", make_frame(kPing, 0, 0, ByteVector(7)), 6},
      {"an HPACK index that does not exist",
       make_frame(kHeaders, kEndHeaders, 1, ByteVector{0xff, 0x7f}), 9},
      {"a stream number of the server", make_frame(kHeaders, kEndHeaders, 2, as_bytes(kGetBlock)),
       1},
      {"33 settings in one frame", make_frame(kSettings, 0, 0, ByteVector(33 * 6)), 11},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    HandFed hand;
    (void)hand.server.feed(c.frame);
    expect_end(hand.server, kProtocol, c.code);
  }
}

TEST(HostileClient, an_error_ends_open_streams_for_the_visitor) {
  HandFed hand;
  ASSERT_TRUE(hand.get(1).ok());
  (void)hand.server.feed(make_frame(kWindowUpdate, 0, 0, ByteVector(4)));
  expect_end(hand.server, kProtocol, kProtocolError);
  EXPECT_EQ(hand.saw.log.back(), "closed 1 INTERNAL_ERROR");
}

TEST(HostileClient, more_than_100_streams_at_once_are_refused) {
  HandFed hand;
  for (StreamId id = 1; id <= 199; id += 2) ASSERT_TRUE(hand.get(id).ok());
  EXPECT_TRUE(poll_all(hand.server).empty());
  EXPECT_EQ(hand.saw.count("request"), 100u);
  (void)hand.get(201);
  EXPECT_EQ(hand.saw.count("request"), 100u);
  expect_end(hand.server, kProtocol, kProtocolError);
}

TEST(HostileClient, of_pings_that_it_does_not_read_128_are_answered) {
  HandFed hand;
  const ByteVector ping = make_frame(kPing, 0, 0, ByteVector(8));
  EXPECT_EQ(hand.until_refused(500, [&](StreamId) { (void)hand.server.feed(ping); }), 128u);
  expect_end(hand.server, kReplyFlood, kEnhanceYourCalm);
}

TEST(HostileClient, pings_that_it_reads_are_no_flood) {
  HandFed hand;
  const ByteVector ping = make_frame(kPing, 0, 0, ByteVector(8));
  EXPECT_EQ(hand.until_refused(5'000,
                               [&](StreamId) {
                                 (void)hand.server.feed(ping);
                                 poll_all(hand.server);
                               }),
            5'000u);
}

// Before it has acknowledged our SETTINGS a client may open more streams than they allow; each is
// refused with a RST_STREAM, which waits for it to read.
TEST(HostileClient, of_refusals_that_it_does_not_read_2000_are_kept) {
  Recorder saw;
  ServerSession server({}, saw);
  (void)server.feed(as_bytes(kPreface));
  (void)server.feed(make_frame(kSettings, 0, 0, {}));
  poll_all(server);
  StreamId id = 1;
  for (; id < 10'000 && !server.error(); id += 2) {
    (void)server.feed(make_frame(kHeaders, kEndHeaders, id, as_bytes(kGetBlock)));
  }
  EXPECT_NEAR((id - 1) / 2, 100 + static_cast<int>(kMaxQueuedFrames), 4);
  expect_end(server, kReplyFlood, kEnhanceYourCalm);
}

TEST(HostileClient, a_client_may_reset_1000_streams_of_its_own) {
  HandFed hand;
  EXPECT_EQ(hand.until_refused(2'000,
                               [&](StreamId id) {
                                 (void)hand.get(id);
                                 (void)hand.server.feed(
                                     make_frame(kRstStream, 0, id, ByteVector{0, 0, 0, 8}));
                                 if (id < 2'000) poll_all(hand.server);
                               }),
            1'000u);
  expect_end(hand.server, kResetFlood, kEnhanceYourCalm);
}

TEST(HostileClient, a_client_may_make_us_reset_1000_streams) {
  HandFed hand;
  const ByteVector nonsense = header_block({{":method", "GET"}});
  EXPECT_EQ(
      hand.until_refused(2'000,
                         [&](StreamId id) {
                           (void)hand.server.feed(make_frame(kHeaders, kEndHeaders, id, nonsense));
                           poll_all(hand.server);
                         }),
      1'000u);
  EXPECT_TRUE(hand.server.error()->is(kResetFlood));
}

TEST(HostileClient, resets_that_the_caller_asks_for_are_not_counted) {
  HandFed hand;
  EXPECT_EQ(hand.until_refused(2'000,
                               [&](StreamId id) {
                                 (void)hand.get(id);
                                 hand.server.reset(id, kCancel);
                                 poll_all(hand.server);
                               }),
            2'000u);
}

TEST(HostileClient, frames_that_carry_nothing_are_a_flood_after_1000) {
  const ByteVector idle[] = {
      make_frame(0xfa, 0, 0, ByteVector(10)),
      make_frame(kPriority, 0, 1, ByteVector(5)),
      make_frame(kSettings, 0, 0, {}),
      make_frame(kData, 0, 1, {}),
  };
  for (const ByteVector& frame : idle) {
    HandFed hand;
    (void)hand.get(1, kEndHeaders);
    // The client's own SETTINGS counted as one, and its request made up for it.
    EXPECT_EQ(hand.until_refused(3'000,
                                 [&](StreamId) {
                                   (void)hand.server.feed(frame);
                                   if (!hand.server.error()) poll_all(hand.server);
                                 }),
              1'000u)
        << int{frame[3]};
    expect_end(hand.server, kIdleFlood, kEnhanceYourCalm);
  }
}

TEST(HostileClient, every_frame_that_carries_something_makes_up_for_one_that_does_not) {
  HandFed hand;
  (void)hand.get(1, kEndHeaders);
  const ByteVector idle = make_frame(0xfa, 0, 0, {});
  const ByteVector data = make_frame(kData, 0, 1, ByteVector(1));
  EXPECT_EQ(hand.until_refused(5'000,
                               [&](StreamId) {
                                 (void)hand.server.feed(idle);
                                 (void)hand.server.feed(data);
                               }),
            5'000u);
}

TEST(HostileClient, a_header_block_has_8_continuations_at_most) {
  for (const int count : {7, 8, 9}) {
    HandFed hand;
    Result<void> fed = hand.get(1, kEndStream);
    for (int i = 1; i <= count && fed.ok(); ++i) {
      fed = hand.server.feed(make_frame(kContinuation, i == count ? kEndHeaders : 0, 1,
                                        as_bytes("\x40\x01"
                                                 "b\x01"
                                                 "c")));
    }
    EXPECT_EQ(fed.ok(), count <= 8);
    EXPECT_EQ(hand.saw.count("request"), count <= 8 ? 1u : 0u);
    if (count > 8) expect_end(hand.server, kHeaderFlood, kEnhanceYourCalm);
  }
}

TEST(HostileClient, one_settings_frame_has_32_entries_at_most) {
  ByteVector entries;
  for (int i = 0; i < 32; ++i) {
    const ByteVector entry{0, 3, 0, 0, 0, 100};
    entries.insert(entries.end(), entry.begin(), entry.end());
  }
  HandFed hand;
  EXPECT_TRUE(hand.server.feed(make_frame(kSettings, 0, 0, entries)).ok());
  EXPECT_EQ(poll_all(hand.server), make_frame(kSettings, kAck, 0, {}));
}

TEST(HostileClient, data_beyond_the_window_resets_the_stream_after_one_frame_at_most) {
  HandFed hand;
  (void)hand.get(1, kEndHeaders);
  for (int i = 0; i < 8; ++i) (void)hand.server.feed(make_frame(kData, 0, 1, ByteVector(16'384)));
  EXPECT_LE(hand.saw.bodies[1].size(), 65'536u + 16'384u);
  poll_all(hand.server);
  EXPECT_EQ(hand.saw.log.back(), "closed 1 FLOW_CONTROL_ERROR");
}

TEST(HostileServer, a_push_is_an_error) {
  SessionPair pair;
  ASSERT_TRUE(pair.client.request(get_request(), nullptr).ok());
  poll_all(pair.client);
  ByteVector payload{0, 0, 0, 2};
  const Bytes block = as_bytes(kGetBlock);
  payload.insert(payload.end(), block.begin(), block.end());
  (void)pair.client.feed(make_frame(5, kEndHeaders, 1, payload));
  expect_end(pair.client, kProtocol, kProtocolError);
  EXPECT_EQ(pair.client_saw.log.back(), "closed 1 INTERNAL_ERROR");
}

TEST(HostileServer, extended_connect_may_not_be_taken_back) {
  SessionPair pair;
  (void)pair.client.feed(make_frame(kSettings, 0, 0, ByteVector{0, 8, 0, 0, 0, 0}));
  expect_end(pair.client, kProtocol, kProtocolError);
}

}  // namespace
}  // namespace karst::stream::http2
