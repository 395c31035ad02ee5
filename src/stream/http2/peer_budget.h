#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "stream/http2/limits.h"

namespace karst::stream::http2 {

// Counts what a peer may do only so often, whatever else it does. Each function says whether it is
// still within bounds.
class PeerBudget {
 public:
  // A frame begins (RFC 9113 section 4.1). Frames that carry nothing are limited; each that
  // carries something makes up for one of them.
  bool frame(Bytes header);
  bool peer_reset() { return ++peer_resets_ <= kMaxPeerResets; }
  // We reset a stream: for the peer's fault, unless the caller asked for it.
  bool own_reset() { return ++own_resets_ - asked_resets_ <= kMaxForcedResets; }
  void asked_reset() { ++asked_resets_; }

 private:
  std::uint32_t idle_frames_ = 0;
  std::uint64_t peer_resets_ = 0;
  std::uint64_t own_resets_ = 0;
  std::uint64_t asked_resets_ = 0;
};

}  // namespace karst::stream::http2
