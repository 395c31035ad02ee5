#pragma once

#include <cstddef>
#include <list>
#include <memory>

#include "platform/linux/reactor.h"

namespace karst::platform {

// Connections that were closed while the other side may still send. A plain close() would answer
// its next byte with RST, and that throws away what we wrote and it has not read yet. So the
// sending side is shut down, input is discarded, and the descriptor closes at the other side's
// end, after kLingerTime or kLingerBytes, or, oldest first, when more than kLingering wait.
class Lingering {
 public:
  static constexpr Duration kLingerTime = std::chrono::seconds(10);
  static constexpr std::size_t kLingerBytes = 1024 * 1024;
  static constexpr std::size_t kLingering = 256;

  explicit Lingering(Reactor& reactor);
  ~Lingering();
  // A connected TCP socket.
  void take(UniqueFd socket);
  std::size_t size() const { return sockets_.size(); }
  Reactor& reactor() { return reactor_; }

 private:
  class Socket;
  Reactor& reactor_;
  std::list<std::unique_ptr<Socket>> sockets_;
};

}  // namespace karst::platform
