#pragma once

// Visitors that remember, sessions joined in memory, and frames made by hand: for tests, fuzz
// targets and benchmarks.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/writer.h"
#include "stream/http2/client_session.h"
#include "stream/http2/server_session.h"

namespace karst::stream::http2 {

// Writes down what it is told, one line per event; bodies are joined and counted apart.
class Recorder : public Visitor {
 public:
  std::vector<std::string> log;
  std::map<StreamId, ByteVector> bodies;
  std::map<StreamId, RequestHead> requests;
  std::map<StreamId, ResponseHead> responses;

  void on_settings() override { log.push_back("settings"); }
  void on_request(StreamId id, RequestHead head) override {
    log.push_back("request " + std::to_string(id) + " " + head.method + " " + head.path);
    requests[id] = std::move(head);
  }
  void on_response(StreamId id, ResponseHead head) override {
    log.push_back("response " + std::to_string(id) + " " + std::to_string(head.status));
    responses[id] = std::move(head);
  }
  void on_data(StreamId id, Bytes bytes) override {
    CHECK(!bytes.empty());
    bodies[id].insert(bodies[id].end(), bytes.begin(), bytes.end());
  }
  void on_end(StreamId id) override { log.push_back("end " + std::to_string(id)); }
  void on_closed(StreamId id, std::uint32_t code) override {
    log.push_back("closed " + std::to_string(id) + " " + std::string(error_code_name(code)));
  }
  void on_goaway(StreamId last, std::uint32_t code) override {
    log.push_back("goaway " + std::to_string(last) + " " + std::string(error_code_name(code)));
  }

  std::size_t count(std::string_view start) const {
    std::size_t found = 0;
    for (const std::string& line : log) found += line.starts_with(start) ? 1u : 0u;
    return found;
  }
};

inline std::vector<ByteVector> poll_blocks(Session& session) {
  std::vector<ByteVector> blocks;
  ByteVector space(kBlockBytes);
  while (const std::size_t count = session.poll_output(space)) {
    blocks.push_back(to_vector(Bytes(space).first(count)));
  }
  return blocks;
}

inline ByteVector poll_all(Session& session) {
  ByteVector all;
  for (const ByteVector& block : poll_blocks(session)) {
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// Moves everything `from` has to say to `to`; whether there was something.
inline bool carry(Session& from, Session& to) {
  const ByteVector bytes = poll_all(from);
  (void)to.feed(bytes);
  return !bytes.empty();
}

inline void carry_both_ways(Session& a, Session& b) {
  for (bool moved = true; moved;) {
    moved = carry(a, b);
    moved = carry(b, a) || moved;
  }
}

// A client and a server that have exchanged their SETTINGS.
struct SessionPair {
  Recorder client_saw;
  Recorder server_saw;
  ClientSession client;
  ServerSession server;

  explicit SessionPair(const ClientSettings& client_settings = {},
                       const ServerSettings& server_settings = {})
      : client(client_settings, client_saw), server(server_settings, server_saw) {
    carry();
  }
  void carry() { carry_both_ways(client, server); }
};

inline RequestHead get_request(std::string path = "/") {
  return {.method = "GET",
          .authority = "site.example",
          .scheme = "https",
          .path = std::move(path),
          .protocol = {},
          .fields = {}};
}

inline RequestHead connect_request() {
  return {.method = "CONNECT",
          .authority = "site.example",
          .scheme = "https",
          .path = "/live",
          .protocol = "websocket",
          .fields = {{"sec-websocket-version", "13"}}};
}

// RFC 9113 section 4.1.
inline ByteVector make_frame(std::uint8_t type, std::uint8_t flags, StreamId stream,
                             Bytes payload) {
  ByteVector frame(kFrameHeaderBytes + payload.size());
  Writer writer(frame);
  writer.u24(static_cast<std::uint32_t>(payload.size()));
  writer.u8(type);
  writer.u8(flags);
  writer.u32(static_cast<std::uint32_t>(stream));
  writer.bytes(payload);
  return frame;
}

inline constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
inline constexpr std::uint8_t kData = 0, kHeaders = 1, kPriority = 2, kRstStream = 3, kSettings = 4,
                              kPing = 6, kGoaway = 7, kWindowUpdate = 8, kContinuation = 9;
inline constexpr std::uint8_t kEndStream = 1, kAck = 1, kEndHeaders = 4;

// "GET / HTTP/2" of authority "a" over https, in HPACK: indexed fields and one literal.
inline constexpr std::string_view kGetBlock =
    "\x82\x87\x84\x41\x01"
    "a";

}  // namespace karst::stream::http2
