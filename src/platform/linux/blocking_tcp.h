#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "driver/ports.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A TCP connection whose calls wait, for tools that measure: one thread for each. It is made in the
// namespace that the calling thread is in, and may be used from any. Deadlines are on the clock of
// monotonic_now(); past them calls end with kTimedOut. No buffer size is ever set.
class BlockingTcp {
 public:
  static Result<BlockingTcp> connect(const Endpoint& to, TimePoint deadline);

  // At least one byte, or 0 at the end of the stream.
  Result<std::size_t> receive(MutableBytes space, TimePoint deadline);
  // At least one byte.
  Result<std::size_t> send(Bytes data, TimePoint deadline);
  Result<void> send_all(Bytes data, TimePoint deadline);
  Result<void> receive_all(MutableBytes space, TimePoint deadline);
  // No more will be sent: the other side reads the end of the stream.
  Result<void> end_sending();
  // Ends with RST when it is destroyed, so that nothing lingers in the kernel.
  void abort_on_close();
  driver::TcpInfo info() const;
  std::string congestion_control() const;
  // What the kernel has come to: SO_SNDBUF and SO_RCVBUF, in bytes.
  struct Buffers {
    std::uint64_t send = 0;
    std::uint64_t receive = 0;
  };
  Buffers buffers() const;

 private:
  friend class BlockingListener;
  explicit BlockingTcp(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

class BlockingListener {
 public:
  static Result<BlockingListener> open(const Endpoint& at);
  Result<BlockingTcp> accept(TimePoint deadline);

 private:
  explicit BlockingListener(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace karst::platform
