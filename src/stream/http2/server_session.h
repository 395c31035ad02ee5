#pragma once

#include <cstdint>

#include "stream/http2/session.h"

namespace karst::stream::http2 {

// What a server opens with: MAX_CONCURRENT_STREAMS, INITIAL_WINDOW_SIZE, MAX_HEADER_LIST_SIZE and
// ENABLE_CONNECT_PROTOCOL = 1 (RFC 8441), in this order, then a WINDOW_UPDATE of the connection.
struct ServerSettings {
  std::uint32_t concurrent_streams = kMaxConcurrentStreams;
  std::int32_t stream_window = 65'536;
  std::int32_t connection_window = 1'048'576;
};

class ServerSession final : public Session {
 public:
  ServerSession(const ServerSettings& settings, Visitor& visitor);

  // Queues the answer to a request told by on_request, once. Without a body it ends the stream on
  // our side. Does nothing when the stream has closed meanwhile; then `body` is not kept.
  void respond(StreamId stream, const ResponseHead& head, BodySource* body);
};

}  // namespace karst::stream::http2
