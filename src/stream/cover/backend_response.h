#pragma once

#include <llhttp.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/byte_queue.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

// Reads a backend's answer to one request: interim answers skipped, the final head as a value, the
// body without its framing. Borrows nothing; `this` must stay in place.
class BackendResponse {
 public:
  struct Expected {
    bool answers_head = false;  // the request was a HEAD: no body follows
    std::string socket_key;     // not empty: the request was the opening handshake of a WebSocket
  };
  explicit BackendResponse(Expected expected);
  BackendResponse(const BackendResponse&) = delete;
  BackendResponse& operator=(const BackendResponse&) = delete;

  enum class State : std::uint8_t { head, body, socket, complete, failed };
  State state() const { return state_; }

  // At most that many bytes come out of `bytes` into the body. After complete or failed nothing
  // does. A head over kResponseHeaderBytesMax, a body over kBodyBytesMax and garbage are failures.
  void receive(Bytes bytes);
  // The backend has closed its side.
  void end();

  // Once, as soon as the state is neither head nor (before any head) failed. Without hop-by-hop
  // headers, with a date, named in lower case.
  std::optional<Response> poll_head(const Moment& moment);

  ByteQueue& body() { return body_; }
  const ByteQueue& body() const { return body_; }

 private:
  static int on_header_field(llhttp_t* parser, const char* at, std::size_t length);
  static int on_header_value(llhttp_t* parser, const char* at, std::size_t length);
  static int on_header_value_complete(llhttp_t* parser);
  static int on_headers_complete(llhttp_t* parser);
  static int on_body(llhttp_t* parser, const char* at, std::size_t length);
  static int on_message_complete(llhttp_t* parser);
  static const llhttp_settings_t& settings();

  bool take_head();
  bool accepts_socket() const;

  Expected expected_;
  llhttp_t parser_;
  State state_ = State::head;
  HeaderList headers_;
  std::string name_;
  std::string value_;
  int status_ = 0;
  bool head_taken_ = false;
  std::size_t head_bytes_ = 0;
  std::uint64_t body_bytes_ = 0;
  ByteQueue body_;
};

}  // namespace karst::stream::cover
