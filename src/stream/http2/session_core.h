#pragma once

// The machinery behind Session; private to http2/.

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/http2/body.h"
#include "stream/http2/frame_cutter.h"
#include "stream/http2/head_reader.h"
#include "stream/http2/limits.h"
#include "stream/http2/message.h"
#include "stream/http2/peer_budget.h"
#include "stream/http2/receive_window.h"
#include "stream/http2/visitor.h"

namespace karst::stream::http2 {

enum class Role : std::uint8_t { client, server };

// What the peer may send at first.
struct Windows {
  std::int32_t stream;  // also stated in the SETTINGS
  std::int32_t connection;
};

// Owns the nghttp2 session, turns its callbacks into those of a Visitor, and makes output in
// blocks. Session documents the behaviour; this class is where it happens.
class SessionCore {
 public:
  // Queues SETTINGS and the connection's first WINDOW_UPDATE.
  SessionCore(Role role, std::span<const nghttp2_settings_entry> settings, Windows windows,
              Visitor& visitor);
  ~SessionCore();
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  Result<void> feed(Bytes bytes);
  std::size_t poll_output(MutableBytes space);

  Result<StreamId> request(const RequestHead& head, BodySource* body);
  void respond(StreamId stream, const ResponseHead& head, BodySource* body);
  void resume(StreamId stream);
  void reset(StreamId stream, std::uint32_t code);
  void close(std::uint32_t code);

  void consume(StreamId stream, std::size_t count);
  void set_local_window(StreamId stream, std::int32_t bytes);
  std::int32_t local_window(StreamId stream) const;
  std::int32_t remote_window(StreamId stream) const;

  bool peer_allows_connect() const;
  bool finished() const;
  const std::optional<Error>& error() const { return error_; }

 private:
  struct Stream {
    // While a head that counts is coming in.
    std::unique_ptr<HeadReader> head;
    bool told = false;       // the visitor knows the stream, and will hear of its end
    bool head_done = false;  // whatever headers come now are trailers
    bool responded = false;
    // A request of ours exists for the peer once its head was sent; credit for it waits until then.
    bool open = true;
    std::int32_t credit_due = 0;
    ReceiveWindow window;
  };
  // The block that is being filled.
  struct Block {
    MutableBytes space;
    std::size_t used = 0;
    std::size_t room() const { return space.size() - used; }
    void append(Bytes bytes);
  };
  // From running through GOAWAY queued to GOAWAY handed out, after which nothing moves.
  enum class Phase : std::uint8_t { running, closing, over };

  struct Callbacks;  // What nghttp2 calls; session_callbacks.cpp
  static const nghttp2_session_callbacks* callbacks();

  void receive(Bytes part);
  Stream* find(StreamId id);
  Stream& add_stream(StreamId id);
  void fail(const Error& why, std::uint32_t code);
  // The next frame that nghttp2 has made, or whether there is none now.
  bool next_frame();
  void end_streams(std::uint32_t code);
  void raise_credit(StreamId id, std::int32_t bytes);

  Role role_;
  Visitor& visitor_;
  nghttp2_session* session_ = nullptr;
  FrameCutter cutter_;
  std::map<StreamId, Stream> streams_;
  ReceiveWindow window_{65'535};  // of the connection (RFC 9113 section 6.9.2)
  std::int32_t stream_window_;
  PeerBudget budget_;
  Block block_;
  Bytes frame_;  // the rest of a frame that did not fit; nghttp2 owns it until the next one
  Phase phase_ = Phase::running;
  std::optional<Error> error_;
};

}  // namespace karst::stream::http2
