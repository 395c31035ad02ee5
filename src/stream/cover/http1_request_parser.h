#pragma once

#include <llhttp.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

// Reads the requests of an HTTP/1.1 or 1.0 connection, one event after the other, and refuses what
// could be read in two ways: both Content-Length and Transfer-Encoding, a bare LF, a folded header,
// no Host or two. Holds at most one head. `this` must stay in place.
class Http1RequestParser {
 public:
  // Takes a request's body; bytes live during the call.
  class BodySink {
   public:
    virtual void on_body(Bytes bytes) = 0;

   protected:
    ~BodySink() = default;
  };
  explicit Http1RequestParser(BodySink& sink);
  Http1RequestParser(const Http1RequestParser&) = delete;
  Http1RequestParser& operator=(const Http1RequestParser&) = delete;

  enum class Event : std::uint8_t {
    none,  // all input was taken
    head,  // a request's headers are complete: take_head(); without a body, so is the request
    end,   // a request with a body is complete
    bad,   // status() says why; the connection is lost
  };
  // Takes bytes from the front of `input` up to the next event. The body goes to the sink on the
  // way, never more than was taken.
  Event parse(Bytes& input);

  // What the head says beside the request.
  struct Head {
    Request request;  // without client
    bool is_http11 = false;
    bool keep_alive = false;
    bool expects_continue = false;
    std::string socket_key;  // Sec-WebSocket-Key, when the request's protocol is "websocket"
  };
  // Once after Event::head.
  Head take_head();

  // Whether a head has begun to arrive and is incomplete.
  bool is_in_request() const { return phase_ == Phase::head && head_bytes_ > 0; }
  // Of the head that is coming in or came last.
  std::size_t held_bytes() const { return head_bytes_; }
  // After Event::bad: 400, 414, 431, 501 or 505; 413 for a body with too much framing.
  int status() const { return status_; }

 private:
  struct Callbacks;
  enum class Phase : std::uint8_t { head, body, between };
  void start_request();
  void look_at_protocol(const char* version);
  Event stopped(llhttp_errno_t reason, bool was_in_head);
  Event bad(int status);
  // 0, or the status that refuses the request.
  int check_head();
  int check_host();

  BodySink& sink_;
  llhttp_t parser_;
  Phase phase_ = Phase::head;
  Head head_;
  std::string name_;
  std::string value_;
  Bytes feeding_;         // what llhttp is looking at
  std::string before_;    // the last bytes before that
  bool is_http_ = false;  // and not RTSP or ICE, which llhttp reads too
  std::size_t head_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;  // with its framing
  int status_ = 0;
};

}  // namespace karst::stream::cover
