#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace karst::driver {

// So many bytes a second and a little at once: what 50 ms bring, and at least a large datagram.
// Holds the time up to which what was taken is paid for.
class RateLimit {
 public:
  // 0, or more than a machine moves (16 GiB/s): no limit.
  explicit RateLimit(std::uint64_t bytes_per_second, TimePoint now);

  // How many bytes may move now.
  std::size_t room(TimePoint now);
  void take(std::size_t bytes);  // at most room()
  // When enough for a turn may move, if nothing is taken meanwhile: what 25 ms bring, or a packet.
  TimePoint ready_at() const { return paid_until_ + turn_; }

 private:
  Duration time_of(std::size_t bytes) const;

  std::uint64_t rate_;
  Duration burst_{};
  Duration turn_{};
  TimePoint paid_until_;
};

}  // namespace karst::driver
