#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "stream/cover/http_message.h"

namespace karst::stream::cover {

enum class BackendId : std::uint64_t {};

// What the driver does for a site that has a backend: it owns TCP connections to the one configured
// loopback address and moves their bytes. Every connection serves one request.
//
//   poll_action()     -> open: connect a socket for this id, then report opened() or failed()
//                     -> close: close that socket now; nothing more is reported for the id
//   read_room(id)     bytes that received() takes now; 0 means do not read
//   received(id, ..)  at most read_room(id) bytes; ended(id) for the end of the stream,
//                     failed(id) for a refused connection or a reset
//   poll_output(id)   bytes to write, until nullopt
//
// After any call on the site or an exchange, poll_action() and the outputs may have something, and
// after any call here Site::poll_ready() may. Calls with an id that is closed do nothing.
class Backend {
 public:
  struct Action {
    enum class Kind : std::uint8_t { open, close };
    Kind kind;
    BackendId id;
  };

  virtual ~Backend() = default;
  virtual std::optional<Action> poll_action() = 0;
  virtual void opened(BackendId id, const Moment& moment) = 0;
  virtual void failed(BackendId id, const Moment& moment) = 0;
  virtual std::size_t read_room(BackendId id) const = 0;
  virtual void received(BackendId id, Bytes bytes, const Moment& moment) = 0;
  virtual void ended(BackendId id, const Moment& moment) = 0;
  virtual std::optional<std::size_t> poll_output(BackendId id, MutableBytes space,
                                                 const Moment& moment) = 0;
};

}  // namespace karst::stream::cover
