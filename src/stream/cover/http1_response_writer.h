#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/byte_queue.h"
#include "stream/cover/exchange.h"

namespace karst::stream::cover {

// Puts answers into HTTP/1.1: status line, headers with those of the connection at the end, body
// with Content-Length, chunked, or up to the end of the connection.
class Http1ResponseWriter {
 public:
  struct Situation {
    bool answers_head = false;
    bool is_http11 = true;   // a 1.0 client knows no chunks
    bool keep_alive = true;  // wanted; see keeps_alive()
    std::string socket_key;  // for a Response that is a socket
  };
  void start(const Response& response, const Situation& situation);
  // "HTTP/1.1 100 Continue".
  void say_continue();
  // Whether the connection lives on after the started answer.
  bool keeps_alive() const { return keep_alive_; }

  // Moves framed bytes of the exchange's output behind what is queued. Call when nothing is.
  void take_body(Exchange& exchange, const Moment& moment);
  // The exchange has given all.
  void finish_body();

  bool empty() const { return queue_.empty(); }
  std::size_t held_bytes() const { return queue_.footprint(); }
  std::size_t poll(MutableBytes space);
  void drop() { queue_.clear(); }

 private:
  enum class Body : std::uint8_t { none, plain, chunked };
  void line(std::string_view name, std::string_view value);

  ByteQueue queue_;
  Body body_ = Body::none;
  bool keep_alive_ = true;
};

}  // namespace karst::stream::cover
