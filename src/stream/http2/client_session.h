#pragma once

#include <cstdint>

#include "base/result.h"
#include "stream/http2/session.h"

namespace karst::stream::http2 {

// What a client opens with. The defaults are those of a browser of 2025; they are sent in this
// order, with ENABLE_PUSH = 0 after the first, and then a WINDOW_UPDATE of the connection.
struct ClientSettings {
  std::uint32_t header_table_bytes = 65'536;
  std::int32_t stream_window = 6'291'456;
  std::uint32_t header_list_bytes = 262'144;
  std::int32_t connection_window = 15'728'640;
};

class ClientSession final : public Session {
 public:
  ClientSession(const ClientSettings& settings, Visitor& visitor);

  // Queues a request. Without a body the stream is finished on our side at once. A head with
  // `protocol` is an extended CONNECT: kNoExtendedConnect until the server's SETTINGS allow it.
  // kNoNewStreams after a GOAWAY, and when stream numbers run out.
  Result<StreamId> request(const RequestHead& head, BodySource* body);
};

}  // namespace karst::stream::http2
