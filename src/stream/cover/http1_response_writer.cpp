#include "stream/cover/http1_response_writer.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "stream/websocket/handshake.h"

namespace karst::stream::cover {
namespace {

constexpr std::size_t kPieceBytesMax = 16 * 1024;

void append(ByteQueue& queue, std::string_view text) { queue.append(as_bytes(text)); }

}  // namespace

void Http1ResponseWriter::line(std::string_view name, std::string_view value) {
  append(queue_, name);
  append(queue_, ": ");
  append(queue_, value);
  append(queue_, "\r\n");
}

void Http1ResponseWriter::start(const Response& response, const Situation& situation) {
  append(queue_, "HTTP/1.1 " + std::to_string(response.status) + " ");
  append(queue_, reason_phrase(response.status));
  append(queue_, "\r\n");
  for (const Header& header : response.headers) line(header_title(header.name), header.value);
  if (response.is_socket) {
    line("Connection", "upgrade");
    line("Upgrade", "websocket");
    line("Sec-WebSocket-Accept", websocket::accept_key(situation.socket_key));
    append(queue_, "\r\n");
    body_ = Body::plain;
    return;
  }

  const bool has_length = response.headers.count("content-length") > 0;
  const bool is_bodiless = response.status == 204 || response.status == 304;
  const bool is_chunked = !has_length && !is_bodiless && situation.is_http11;
  const bool ends_with_connection = !has_length && !is_bodiless && !is_chunked;
  keep_alive_ = situation.keep_alive && !(ends_with_connection && !situation.answers_head);
  if (is_chunked) line("Transfer-Encoding", "chunked");
  line("Connection", keep_alive_ ? "keep-alive" : "close");
  append(queue_, "\r\n");
  body_ = is_chunked ? Body::chunked : Body::plain;
  if (is_bodiless || situation.answers_head) body_ = Body::none;
}

void Http1ResponseWriter::say_continue() { append(queue_, "HTTP/1.1 100 Continue\r\n\r\n"); }

void Http1ResponseWriter::take_body(Exchange& exchange, const Moment& moment) {
  const Bytes ready = exchange.output();
  const Bytes piece = ready.first(std::min(ready.size(), kPieceBytesMax));
  if (piece.empty()) return;
  if (body_ == Body::chunked) {
    std::array<char, 16> size;
    const auto end = std::to_chars(size.data(), size.data() + size.size(), piece.size(), 16).ptr;
    append(queue_, std::string_view(size.data(), end));
    append(queue_, "\r\n");
  }
  if (body_ != Body::none) queue_.append(piece);
  if (body_ == Body::chunked) append(queue_, "\r\n");
  exchange.consume(piece.size(), moment);
}

void Http1ResponseWriter::finish_body() {
  if (body_ == Body::chunked) append(queue_, "0\r\n\r\n");
  body_ = Body::none;
}

std::size_t Http1ResponseWriter::poll(MutableBytes space) {
  const Bytes run = queue_.front();
  const std::size_t count = std::min(run.size(), space.size());
  copy_bytes(space, run.first(count));
  queue_.consume(count);
  return count;
}

}  // namespace karst::stream::cover
