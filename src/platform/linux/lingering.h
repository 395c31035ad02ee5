#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "platform/linux/reactor.h"

namespace karst::platform {

struct LingerLimits {
  Duration time = std::chrono::seconds(10);
  std::size_t bytes = 1024 * 1024;  // of one connection, discarded
  std::size_t connections = 256;
};

// Connections that were closed while the other side may still send. A plain close() would answer
// its next byte with RST, and that throws away what we wrote and it has not read yet. So the
// sending side is shut down, input is discarded, and the descriptor closes at the other side's
// end, or at a limit; of too many the oldest closes first. From then on the kernel alone sends
// what is left.
class Lingering {
 public:
  explicit Lingering(Reactor& reactor, const LingerLimits& limits = {});
  ~Lingering();
  // A connected TCP socket.
  void take(UniqueFd socket);
  std::size_t size() const { return sockets_.size(); }
  Reactor& reactor() { return reactor_; }

 private:
  class Socket;
  Reactor& reactor_;
  LingerLimits limits_;
  std::list<std::unique_ptr<Socket>> sockets_;
};

}  // namespace karst::platform
