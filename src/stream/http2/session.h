#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/http2/body.h"
#include "stream/http2/error.h"
#include "stream/http2/limits.h"
#include "stream/http2/message.h"
#include "stream/http2/visitor.h"

namespace karst::stream::http2 {

class SessionCore;

// One end of one HTTP/2 connection (RFC 9113, with RFC 8441) over nghttp2: plaintext of TLS in and
// out, no socket, no clock. What both roles share; made as a ClientSession or a ServerSession.
//
//   decrypted bytes      -> feed(); the visitor is called
//   poll_output()        -> blocks for TLS, until it gives 0: after feed() and after every call
//                           below. The caller stops when TLS holds enough; what is not polled is
//                           not made yet, so that it is chosen late.
//   consume()            -> credit back to the sender for bytes of on_data that were disposed of
//   set_local_window()   -> how much the peer may send ahead
//   error()              -> the connection is over: poll what is left (a GOAWAY), then close. It
//                           can turn up after feed() and after poll_output().
//
// The visitor is borrowed and outlives the session. Not thread-safe.
class Session {
 public:
  virtual ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Takes all of the bytes. After an error they are dropped and the same error comes again.
  Result<void> feed(Bytes bytes);
  // Writes up to a block to the front of `space`, which has at least kBlockBytes, and says how
  // much. Small frames share a block; a DATA frame is never cut, so a full one makes a block of
  // exactly kBlockBytes.
  std::size_t poll_output(MutableBytes space);

  // The stream's BodySource has something again.
  void resume(StreamId stream);
  // Ends a stream at once, both ways. on_closed follows in poll_output().
  void reset(StreamId stream, std::uint32_t code);
  // GOAWAY with this code; everything open ends. poll_output() gives what is left to send.
  void close(std::uint32_t code);

  // `count` bytes of on_data were disposed of: the sender gets their credit back, on the stream and
  // on the connection. Also valid after the stream has closed; it must be called for every byte
  // sooner or later, or the connection runs dry.
  void consume(StreamId stream, std::size_t count);
  // How many unconsumed bytes the peer may have outstanding on a stream or on kConnection. Growing
  // sends WINDOW_UPDATE, behind the request if that has not gone out; shrinking takes effect as
  // data comes in. At most kMaxWindow. Nothing for a stream that does not exist or has closed.
  void set_local_window(StreamId stream, std::int32_t bytes);
  std::int32_t local_window(StreamId stream) const;
  // Credit we have for sending on that stream (without regard to the connection's) or on
  // kConnection: the sender is blocked while one of them is 0. 0 for a stream that does not exist.
  std::int32_t remote_window(StreamId stream) const;

  // RFC 8441: the peer's SETTINGS allow extended CONNECT.
  bool peer_allows_connect() const;
  // Nothing more will be read or written: close TCP.
  bool finished() const;
  const std::optional<Error>& error() const;

 protected:
  explicit Session(std::unique_ptr<SessionCore> core);
  SessionCore& core() { return *core_; }

 private:
  std::unique_ptr<SessionCore> core_;
};

}  // namespace karst::stream::http2
