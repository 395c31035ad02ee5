#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/bytes.h"
#include "stream/mux/mux.h"
#include "wire/credit.h"
#include "wire/fin.h"
#include "wire/goaway.h"
#include "wire/ping.h"
#include "wire/reset.h"

// For the tests of this folder: two multiplexers and what lies between them, and a peer that is
// made by hand out of frames.
namespace karst::stream::mux {

inline constexpr StreamId id(std::uint32_t number) { return StreamId{number}; }

inline wire::Open tcp(std::string name = "example.org", std::uint16_t port = 443) {
  return wire::Open{wire::Target{std::move(name), port}};
}

// Writes frames one after another: `Frames().open(1).data(1, "x")`.
class Frames {
 public:
  Frames& frame(wire::FrameType type, std::uint32_t stream, Bytes payload = {}) {
    ByteVector space(wire::kFrameHeaderBytes + payload.size());
    Writer out(space);
    wire::write_frame_header(out, type, id(stream), payload.size());
    out.bytes(payload);
    bytes_.insert(bytes_.end(), space.begin(), space.end());
    return *this;
  }
  template <class Message>
  Frames& message(wire::FrameType type, std::uint32_t stream, const Message& message) {
    ByteVector space(wire::kFramePayloadBytesMax);
    Writer out(space);
    format(message, out);
    return frame(type, stream, Bytes(space).first(out.written()));
  }

  Frames& open(std::uint32_t stream, const wire::Open& open = tcp()) {
    return message(wire::FrameType::open, stream, open);
  }
  Frames& result(std::uint32_t stream, wire::OpenCode code = wire::OpenCode::ok) {
    return message(wire::FrameType::open_result, stream, wire::OpenResult{code, std::nullopt});
  }
  Frames& data(std::uint32_t stream, std::string_view text) {
    return frame(wire::FrameType::data, stream, as_bytes(text));
  }
  Frames& data(std::uint32_t stream, std::size_t count) {
    return frame(wire::FrameType::data, stream, ByteVector(count));
  }
  Frames& fin(std::uint32_t stream, std::uint64_t final) {
    return message(wire::FrameType::fin, stream, wire::Fin{final});
  }
  Frames& reset(std::uint32_t stream, wire::ResetReason reason = wire::ResetReason::cancelled) {
    return message(wire::FrameType::reset, stream, wire::Reset{reason});
  }
  Frames& credit(std::uint32_t stream, std::uint64_t taken, std::uint64_t limit) {
    return message(wire::FrameType::credit, stream, wire::StreamCredit{taken, limit});
  }
  Frames& link_credit(std::uint64_t window) {
    return message(wire::FrameType::credit, 0, wire::LinkCredit{window});
  }
  Frames& datagram(std::uint32_t stream, std::string_view text) {
    return message(wire::FrameType::packet, stream,
                   wire::Datagram{wire::Target{"peer", 53}, as_bytes(text)});
  }
  Frames& ping(std::uint64_t token) { return message(wire::FrameType::ping, 0, wire::Ping{token}); }
  Frames& pong(std::uint64_t token) { return message(wire::FrameType::pong, 0, wire::Ping{token}); }
  Frames& goaway(wire::GoAwayReason reason = wire::GoAwayReason::shutdown) {
    return message(wire::FrameType::goaway, 0, wire::GoAway{reason, id(0)});
  }

  const ByteVector& bytes() const { return bytes_; }

 private:
  ByteVector bytes_;
};

inline std::vector<Event> events(Mux& mux) {
  std::vector<Event> out;
  while (auto event = mux.poll_event()) out.push_back(std::move(*event));
  return out;
}

template <class Kind>
std::vector<Kind> only(const std::vector<Event>& all) {
  std::vector<Kind> out;
  for (const Event& event : all) {
    if (const auto* kind = std::get_if<Kind>(&event)) out.push_back(*kind);
  }
  return out;
}

// One multiplexer whose peer is the test.
struct Alone {
  MemoryBudget budget{1ull << 40};
  TimePoint now{std::chrono::seconds(1000)};
  Mux mux;

  explicit Alone(Role role, Limits limits = {}) : mux(role, limits, budget, now) {}

  Result<void> handle(const Frames& frames) { return mux.handle_record(frames.bytes(), now); }
  // The name of the error that the frames are, or "ok".
  std::string_view verdict(const Frames& frames) {
    const auto result = handle(frames);
    return result.ok() ? "ok" : result.error().kind().name;
  }
  // Everything that the multiplexer has to say, as frames without payload: "OPEN 1, DATA 1, ...".
  std::string said(Allowed allowed = Allowed::everything);
};

// Fills one record and checks it as a peer would.
inline std::optional<ByteVector> record_of(Mux& mux, Allowed allowed, TimePoint now) {
  ByteVector space(wire::kPlaintextBytesMax);
  const auto record = mux.poll_record(space, allowed, now);
  if (!record) return std::nullopt;
  space.resize(record->size);
  const auto kind = wire::classify_record(space);
  EXPECT_TRUE(kind.ok());
  EXPECT_EQ(*kind, record->kind);
  EXPECT_TRUE(allowed == Allowed::everything || record->kind == wire::RecordKind::uncounted);
  return space;
}

inline std::vector<wire::Frame> frames_of(Bytes record) {
  std::vector<wire::Frame> out;
  auto frames = wire::FrameReader::of(record);
  while (!frames->at_end()) out.push_back(*frames->next());
  return out;
}

inline std::string Alone::said(Allowed allowed) {
  static constexpr const char* kNames[] = {"",     "OPEN",  "OPEN_RESULT", "DATA",
                                           "FIN",  "RESET", "CREDIT",      "PACKET",
                                           "PING", "PONG",  "GOAWAY",      "REPORT"};
  std::string out;
  while (const auto record = record_of(mux, allowed, now)) {
    for (const wire::Frame& frame : frames_of(*record)) {
      if (!out.empty()) out += ", ";
      out += kNames[static_cast<int>(frame.type)];
      if (frame.stream != wire::kControlStream) {
        out += " " + std::to_string(static_cast<std::uint32_t>(frame.stream));
      }
    }
  }
  return out;
}

// A client and a server joined by a wire that takes no time.
struct Pair {
  MemoryBudget budget{1ull << 40};
  TimePoint now{std::chrono::seconds(1000)};
  Mux client;
  Mux server;

  explicit Pair(Limits limits = {})
      : client(Role::client, limits, budget, now), server(Role::server, limits, budget, now) {}

  // Moves one record, if there is one.
  bool move(Mux& from, Mux& to) {
    const auto record = record_of(from, Allowed::everything, now);
    if (!record) return false;
    const auto handled = to.handle_record(*record, now);
    EXPECT_TRUE(handled.ok()) << handled.error().kind().name;
    return true;
  }
  // Until nobody has anything to say.
  void settle() {
    while (move(client, server) || move(server, client)) {
    }
  }
  // A stream that both sides know to be open; no events are left.
  StreamId connect() {
    const StreamId stream = *client.open(tcp());
    settle();
    server.accept(stream, std::nullopt);
    settle();
    events(client);
    events(server);
    return stream;
  }
  // What is there to read, consumed.
  std::string read(Mux& mux, StreamId stream) {
    std::string out;
    Bytes run;
    while (mux.received(stream, {&run, 1}) == 1) {
      out += as_text(run);
      mux.consume_received(stream, run.size(), now);
    }
    return out;
  }
};

}  // namespace karst::stream::mux
