#pragma once

#include <cstddef>
#include <map>

#include "base/ip.h"

namespace karst::driver {

// How many connections each source has that are not (yet) a client's. A source is what one
// subscriber commonly has: an IPv4 address, or an IPv6 /56. Its memory is bounded by the number of
// connections.
class SourceCounts {
 public:
  explicit SourceCounts(std::size_t limit) : limit_(limit) {}

  // False, and not counted, if the source has as many as it may.
  bool enter(const IpAddress& address);
  // Once for each enter() that said yes.
  void leave(const IpAddress& address);
  std::size_t sources() const { return counts_.size(); }

 private:
  const std::size_t limit_;
  std::map<IpAddress, std::size_t> counts_;
};

}  // namespace karst::driver
