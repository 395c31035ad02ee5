#include "stream/proxy/entry.h"

#include <gtest/gtest.h>

#include <string>

#include "stream/proxy/error.h"

namespace karst::stream::proxy {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kStart{77s};

std::string taken(ByteQueue& queue) {
  std::string out(queue.size(), '\0');
  queue.copy_out(0, {reinterpret_cast<std::uint8_t*>(out.data()), out.size()});
  queue.clear();
  return out;
}

template <std::size_t N>
std::string s(const char (&text)[N]) {
  return {text, N - 1};
}

std::string event_of(Entry& entry) {
  const auto event = entry.poll_event();
  if (!event) return "nothing";
  if (const auto* connect = std::get_if<ConnectRequest>(&*event)) return connect->target.text();
  if (std::holds_alternative<UdpAssociateRequest>(*event)) return "udp";
  return std::string(std::get<EntryFailed>(*event).error.kind().name);
}

const std::string kSocks =
    s("\x05\x01\x00\x05\x01\x00\x03\x01"
      "a\x00\x50");
const std::string kSocksUdp = s("\x05\x01\x00\x05\x03\x00\x01\0\0\0\0\0\0");
const std::string kConnect = "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kGet = "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n";
const std::string kPost =
    "POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: "
    "chunked\r\n\r\n3;x\r\nabc\r\n0\r\n\r\n";

TEST(Entry, the_first_byte_tells_the_protocol) {
  for (int byte = 0; byte < 256; ++byte) {
    Entry entry({}, kStart);
    const auto first = static_cast<std::uint8_t>(byte);
    entry.handle_client({&first, 1});
    const bool letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    const std::string event = event_of(entry);
    const std::string answer = taken(entry.to_client());
    if (byte == 0x05) {
      EXPECT_EQ(event + answer, "nothing");
    } else if (byte == 0x04) {
      EXPECT_EQ(event + answer, "socks4" + s("\0\x5b\0\0\0\0\0\0"));
    } else if (!letter) {
      EXPECT_EQ(event + answer, "unknown-protocol") << byte;
    } else if (event != "nothing") {  // no method begins with this letter
      EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << byte;
    }
    EXPECT_EQ(entry.closing(), event != "nothing") << byte;
  }
}

TEST(Entry, each_protocol_goes_from_request_to_open) {
  const struct {
    std::string request;
    const char* event;
    std::string reply;
    std::string to_server;
    bool client_direct;
    bool server_direct;
  } cases[] = {
      {kSocks + "early", "a:80", s("\x05\x00\x05\x00\x00\x01\0\0\0\0\0\0"), "early", true, true},
      {kSocksUdp + "early", "udp", s("\x05\x00\x05\x00\x00\x01\0\0\0\0\0\0"), "", false, true},
      {kConnect + "early", "a:80", "HTTP/1.1 200 Connection established\r\n\r\n", "early", true,
       true},
      {kGet + "early", "a:80", "", "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", false,
       false},
  };
  for (const auto& c : cases) {
    Entry entry({}, kStart);
    entry.handle_client(as_bytes(c.request));
    EXPECT_EQ(event_of(entry), c.event);
    EXPECT_FALSE(entry.client_direct() || entry.server_direct());
    entry.handle_result(OpenResult::ok);
    EXPECT_EQ(taken(entry.to_client()), c.reply);
    EXPECT_EQ(taken(entry.to_server()), c.to_server);
    EXPECT_EQ(entry.client_direct(), c.client_direct) << c.event;
    EXPECT_EQ(entry.server_direct(), c.server_direct) << c.event;
  }
}

TEST(Entry, bytes_pass_both_ways_when_the_driver_leaves_it_in_between) {
  for (const std::string& request : {kSocks, kConnect}) {
    Entry entry({}, kStart);
    entry.handle_client(as_bytes(request));
    entry.handle_result(OpenResult::ok);
    entry.to_client().clear();
    entry.handle_client(as_bytes("up"));
    entry.handle_server(as_bytes("down"));
    EXPECT_EQ(taken(entry.to_server()), "up");
    EXPECT_EQ(taken(entry.to_client()), "down");
  }
}

TEST(Entry, a_greeting_ends_after_30_seconds_without_a_word) {
  for (const std::string& part : {std::string(), kSocks.substr(0, 8), kConnect.substr(0, 20)}) {
    Entry entry({}, kStart);
    entry.handle_client(as_bytes(part));
    entry.to_client().clear();
    EXPECT_EQ(entry.next_deadline(), kStart + 30s);
    entry.handle_deadline(kStart + 30s - 1ns);
    EXPECT_FALSE(entry.closing());
    entry.handle_deadline(kStart + 30s);
    EXPECT_TRUE(entry.closing());
    EXPECT_EQ(event_of(entry), "greeting-timeout");
    EXPECT_TRUE(entry.to_client().empty());
    EXPECT_EQ(entry.next_deadline(), std::nullopt);
  }
}

TEST(Entry, a_complete_request_has_no_deadline) {
  for (const std::string& request : {kSocks, kSocksUdp, kConnect, kGet}) {
    Entry entry({}, kStart);
    entry.handle_client(as_bytes(request));
    EXPECT_EQ(entry.next_deadline(), std::nullopt);
    entry.handle_deadline(kStart + 60s);
    EXPECT_FALSE(entry.closing());
  }
}

TEST(Entry, a_result_that_comes_after_the_failure_changes_nothing) {
  Entry entry({}, kStart);
  entry.handle_client(
      as_bytes("POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx"));
  EXPECT_TRUE(entry.closing());
  taken(entry.to_client());
  entry.handle_result(OpenResult::ok);
  entry.handle_server(as_bytes("HTTP/1.1 200 OK\r\n\r\n"));
  entry.handle_server_end();
  entry.handle_client(as_bytes(kGet));
  EXPECT_TRUE(entry.to_client().empty());
  EXPECT_TRUE(entry.to_server().empty());
}

TEST(Entry, early_bytes_are_bounded_by_the_room_that_it_gives) {
  for (const std::string& request :
       {kSocks, kConnect, kPost.substr(0, kPost.find("\r\n\r\n") + 4) + "ffffff\r\n"}) {
    Entry entry({}, kStart);
    entry.handle_client(as_bytes(request));
    while (entry.client_room() > 0) {
      const std::string bytes(std::min<std::size_t>(entry.client_room(), 1000), 'x');
      entry.handle_client(as_bytes(bytes));
    }
    EXPECT_EQ(entry.to_server().size(), kPendingBytesMax);
    entry.to_server().consume(1);
    EXPECT_EQ(entry.client_room(), 1u);
  }
}

// Heads of the largest size with all the room filled: what is held stays under its bound.
TEST(Entry, a_rewritten_head_adds_little_to_the_bound) {
  std::string request = "POST http://" + std::string(63, 'a') +
                        "/ HTTP/1.1\r\nHost: a\r\nContent-Length: 999999\r\nX: ";
  request += std::string(kHttpHeadBytesMax - request.size() - 4, 'x') + "\r\n\r\n";
  ASSERT_EQ(request.size(), kHttpHeadBytesMax);
  Entry entry({}, kStart);
  entry.handle_client(as_bytes(request + std::string(kPendingBytesMax - request.size(), 'b')));
  EXPECT_LE(entry.to_server().size(), kPendingBytesMax + 512);
  EXPECT_EQ(entry.client_room(), 0u);
}

std::string outcome_of(const std::string& input, std::size_t first, std::size_t second,
                       const std::string& response) {
  Entry entry({*Credentials::make("u", "p")}, kStart);
  Entry open_entry({}, kStart);
  std::string out;
  for (Entry* e : {&entry, &open_entry}) {
    const Bytes bytes = as_bytes(input);
    for (const Bytes piece :
         {bytes.first(first), bytes.subspan(first, second - first), bytes.subspan(second)}) {
      e->handle_client(piece);
    }
    bool requested = false;
    for (std::string event = event_of(*e); event != "nothing"; event = event_of(*e)) {
      out += "[" + event + "]";
      requested = true;
    }
    if (requested && !e->closing()) {
      e->handle_result(OpenResult::ok);
      const Bytes all = as_bytes(response);
      const std::size_t cut = std::min(first, all.size());
      e->handle_server(all.first(cut));
      e->handle_server(all.subspan(cut));
      e->handle_server_end();
    }
    for (std::string event = event_of(*e); event != "nothing"; event = event_of(*e))
      out += "[" + event + "]";
    out +=
        taken(e->to_client()) + "|" + taken(e->to_server()) + (e->closing() ? "|closing\n" : "\n");
  }
  return out;
}

TEST(Entry, no_way_of_splitting_the_input_changes_anything) {
  const std::string inputs[] = {
      kSocks + "early",
      kSocksUdp + "early",
      s("\x05\x01\x02\x01\x01u\x01p\x05\x01\x00\x04") + std::string(16, '\x20') + s("\x00\x50") +
          "early",
      s("\x05\x01\x02\x01\x01u\x01q\x05\x01\x00\x01"),
      s("\x05\x01\x00\x05\x02\x00\x01\0\0\0\0\0\0"),
      s("\x04\x01\x00\x50\x01\x02\x03\x04\x00"),
      kConnect + "early",
      kGet + kGet,
      kPost + kGet,
      "POST http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcd",
      "GET http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n",
      "BREW http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET http://a/ HTTP/1.1\r\nHost: a\r\nProxy-Authorization: Basic dTpw\r\n\r\n",
  };
  const std::string responses[] = {
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: keep-alive\r\nX:  y "
      "\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nX: y\n\r\n",
  };
  for (const std::string& input : inputs) {
    for (const std::string& response : responses) {
      const std::string whole = outcome_of(input, input.size(), input.size(), response);
      for (std::size_t first = 0; first <= input.size(); ++first) {
        for (std::size_t second = first; second <= input.size(); ++second) {
          ASSERT_EQ(outcome_of(input, first, second, response), whole)
              << input << " at " << first << ", " << second;
        }
      }
    }
  }
}

}  // namespace
}  // namespace karst::stream::proxy
