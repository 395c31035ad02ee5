#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "platform/linux/control_frame.h"
#include "platform/linux/reactor.h"

namespace karst::platform {

// Answers the one request that it was made for, at once or later, and at most once. An answer to a
// client that has gone is dropped; a destroyed one closes the connection. The text is borrowed
// during the call; it may be secret, so no copy of it stays behind once it is sent.
using ControlReply = std::move_only_function<void(std::string_view text)>;
// `request` is borrowed during the call. Must not destroy the server.
using ControlHandler = std::move_only_function<void(std::string_view request, ControlReply reply)>;

struct ControlLimits {
  // A further one takes the place of whoever has been silent for longest, if anyone is.
  std::size_t connections = 16;
  // For a whole request to arrive: commands ask as soon as they are connected.
  Duration request_time = std::chrono::seconds(2);
  // For the answer to be taken.
  Duration answer_time = std::chrono::seconds(30);
};

// The daemon's end of the control socket: a Unix socket with mode 0600, which besides asks the
// kernel who connects and hangs up on every user but its own and root.
class ControlServer {
 public:
  // A socket file that a dead daemon left is replaced; kAddressInUse when a living one, or some
  // other file, is there.
  static Result<std::unique_ptr<ControlServer>> listen(Reactor& reactor, const std::string& path,
                                                       ControlHandler handler,
                                                       const ControlLimits& limits = {});
  // Removes the socket file.
  virtual ~ControlServer() = default;
};

}  // namespace karst::platform
