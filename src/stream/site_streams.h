#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/byte_queue.h"
#include "stream/cover/exchange.h"
#include "stream/http2/server_session.h"

namespace karst::stream {

// The site over HTTP/2: turns requests of one connection into exchanges of the cover site and
// moves their bodies, with flow control from end to end. It stores borrowed references to the
// session and the handler, which outlive it. The owner passes the session's visitor calls on for
// the streams it does not keep for itself, and calls pump() after each feed() of the session, when
// Site::poll_ready() names the connection, and after handle_deadline().
class SiteStreams {
 public:
  SiteStreams(http2::ServerSession& session, cover::Handler& handler, cover::ConnectionKey key,
              std::string client);
  ~SiteStreams();

  bool owns(http2::StreamId stream) const { return streams_.contains(stream); }
  bool empty() const { return streams_.empty(); }

  void on_request(http2::StreamId stream, http2::RequestHead head, const cover::Moment& moment);
  void on_data(http2::StreamId stream, Bytes bytes, const cover::Moment& moment);
  void on_end(http2::StreamId stream, const cover::Moment& moment);
  void on_closed(http2::StreamId stream);

  void pump(const cover::Moment& moment);
  // Memory held for all streams.
  std::size_t held_bytes() const;
  std::optional<TimePoint> next_deadline() const;
  void handle_deadline(const cover::Moment& moment);

  // A WebSocket of the site turns out to be something else: its exchange goes, and what it had
  // ready to send is followed by `body`, which outlives the stream. The stream stays known here.
  void take_over(http2::StreamId stream, http2::BodySource& body);

 private:
  struct Stream;
  void begin(http2::StreamId id, Stream& stream, bool has_body);
  void move_input(http2::StreamId id, Stream& stream);
  void move_output(http2::StreamId id, Stream& stream);

  http2::ServerSession& session_;
  cover::Handler& handler_;
  cover::ConnectionKey key_;
  std::string client_;
  cover::Moment moment_{};
  std::map<http2::StreamId, std::unique_ptr<Stream>> streams_;
};

}  // namespace karst::stream
