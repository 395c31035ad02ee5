#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "base/bytes.h"
#include "base/result.h"
#include "stream/cover/exchange.h"

namespace karst::stream::cover {

// Why a connection ended early, for the trace; the client sees at most an ordinary error page.
inline constexpr ErrorKind kBadRequest{"cover", "bad-request", "a client sent bad HTTP/1.1"};
inline constexpr ErrorKind kClientTimeout{"cover", "client-timeout", "a client was too slow"};

// The server's end of one HTTP/1.1 (or 1.0) connection, inside TLS: bytes in, bytes out, no socket.
// Requests go to a Handler one after the other, pipelined ones wait in order in the caller's
// buffer. After a WebSocket's opening handshake the bytes of both sides pass through unchanged.
//
// The caller, in a loop until neither moves: handle_input() with what TLS has, poll_output() until
// nullopt. Also when handle_deadline() is due and when Site::poll_ready() names the key.
// When finished() turns true: send what was polled, close the sending side, read away what still
// comes for a short while (an answer to a body cut short would else be lost to a reset), close.
class Http1Connection {
 public:
  struct Options {
    ConnectionKey key{};
    std::string client;  // the peer's address as text, for Request::client
  };
  // The handler outlives the connection.
  Http1Connection(Options options, Handler& handler, const Moment& moment);
  ~Http1Connection();

  // Returns how many bytes were taken, from the front; the rest is to be offered again after
  // output has been polled or the connection was woken. 0 with nothing to do means do not read.
  std::size_t handle_input(Bytes bytes, const Moment& moment);
  // The client closed its sending side, and all it had sent was taken. A whole request is still
  // answered.
  void handle_end(const Moment& moment);

  std::optional<std::size_t> poll_output(MutableBytes space, const Moment& moment);

  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(const Moment& moment);

  // Memory held for this connection alone.
  std::size_t held_bytes() const;

  // Nothing more will be read or written.
  bool finished() const;
  // Set at most once, when the end was the client's fault.
  std::optional<Error> error() const;

 private:
  class Core;
  std::unique_ptr<Core> core_;
};

}  // namespace karst::stream::cover
