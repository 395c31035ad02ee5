#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/bytes.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

// Names a client's connection among all of the process, for limits and for wake-ups.
enum class ConnectionKey : std::uint64_t {};

// One request and its answer, or one WebSocket, seen from the side that speaks HTTP to the client
// (http1_connection.h, or the glue over stream/http2). That side owns it and pumps it:
//
//   input() / input_end()        the request's body, or a socket's bytes from the client
//   poll_response()              the head of the answer, exactly once
//   output() / consume()         the answer's body, or a socket's bytes to the client
//   ending()                     whether that was all
//
// It may have more to give after any call and after Site::poll_ready() named its connection.
// Destroying it at any time abandons the request. It must not outlive its Handler.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // How many bytes input() takes now. While it is 0 the client is not to be read (HTTP/1.1) or
  // given credit (HTTP/2). An answered exchange may take and drop what still comes.
  virtual std::size_t input_room() const = 0;
  virtual void input(Bytes bytes, const Moment& moment) = 0;
  // The client has finished its side. At once after begin() when Request::has_body is false and no
  // socket is asked for.
  virtual void input_end(const Moment& moment) = 0;

  virtual std::optional<Response> poll_response(const Moment& moment) = 0;

  // The next bytes of the answer, empty if none are ready; live until the next non-const call.
  virtual Bytes output() const = 0;
  virtual void consume(std::size_t count, const Moment& moment) = 0;

  enum class Ending : std::uint8_t {
    open,      // more may follow what output() shows
    complete,  // what output() shows, perhaps nothing, is the last of it
    broken,    // the rest will never come: reset the stream, close an HTTP/1.1 connection
  };
  virtual Ending ending() const = 0;

  // Memory that this exchange holds for itself: not what it shares with others, as a page.
  virtual std::size_t held_bytes() const { return 0; }

  virtual std::optional<TimePoint> next_deadline() const { return std::nullopt; }
  virtual void handle_deadline(const Moment&) {}
};

// Something that answers requests: the site, or in the daemon a wrapper around it that first looks
// for an admission proof.
class Handler {
 public:
  virtual ~Handler() = default;
  // Never null and never a refusal: a bad request is answered by an Exchange like any other.
  virtual std::unique_ptr<Exchange> begin(Request request, ConnectionKey connection,
                                          const Moment& moment) = 0;
};

}  // namespace karst::stream::cover
