#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"
#include "platform/linux/unique_fd.h"

namespace karst::platform {

// A UDP socket for measurements: calls wait, many datagrams go at once, and each that comes has
// the time at which the kernel got it. In the namespace that the calling thread was in when it was
// made.
class ProbeSocket {
 public:
  static Result<ProbeSocket> open(const Endpoint& at);

  // Sends `datagrams` as one super-packet if they are several: all have the same size, and lie one
  // after the other. At most 64 of them and 65,000 bytes.
  Result<void> send(Bytes datagrams, std::size_t each, const Endpoint& to);

  struct Received {
    Bytes data;            // valid until the next call
    std::size_t each = 0;  // data may be several datagrams of this size, the last one shorter
    TimePoint at{};        // only differences matter
    Endpoint from;
  };
  // Waits at most until `deadline` on the clock of monotonic_now(). kTimedOut.
  Result<Received> receive(TimePoint deadline);

 private:
  explicit ProbeSocket(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
  std::vector<std::uint8_t> space_ = std::vector<std::uint8_t>(65'536);
};

}  // namespace karst::platform
