#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "stream/http2/message.h"

namespace karst::stream::http2 {

// Odd numbers, chosen by the client. 0 names the connection where a function says so.
using StreamId = std::int32_t;
inline constexpr StreamId kConnection = 0;

// What a session tells, during feed() (and on_closed also during poll_output()). For each stream:
//
//   server: on_request  on_data*  on_end?  on_closed
//   client: on_response?  on_data*  on_end?  on_closed
//
// on_closed comes exactly once for every stream that was requested by us or announced by
// on_request, unless the session itself is destroyed first; nothing follows it. Informational (1xx)
// responses and trailers are not told. From inside, everything of the session may be called but
// feed(), poll_output() and its destructor.
class Visitor {
 public:
  virtual ~Visitor() = default;

  // The peer's SETTINGS were applied: the first ones, or a change.
  virtual void on_settings() {}
  virtual void on_request(StreamId, RequestHead) {}
  virtual void on_response(StreamId, ResponseHead) {}
  // Body bytes, borrowed for the call, never empty. Their credit comes back to the sender when
  // Session::consume() is called for them, now or later.
  virtual void on_data(StreamId, Bytes) {}
  // The peer has finished its side of the stream.
  virtual void on_end(StreamId) {}
  // `code` is kNoError for a stream that ended properly on both sides.
  virtual void on_closed(StreamId, std::uint32_t /*code*/) {}
  // The peer will not process streams above `last`, and takes no new ones.
  virtual void on_goaway(StreamId /*last*/, std::uint32_t /*code*/) {}
};

}  // namespace karst::stream::http2
