#pragma once

#include <cstdint>
#include <deque>

#include "base/ip.h"
#include "base/result.h"
#include "base/time.h"

namespace karst::keys {

inline constexpr ErrorKind kRateLimited{"handshake", "rate-limited",
                                        "too many handshakes from this network, or in all"};

inline constexpr std::size_t kHandshakesPerSecondDefault = 50;
inline constexpr std::size_t kHandshakesPerSecondMax = 1'000;

// Leave to send one M2. Only HandshakeLimiter makes it; it is used up by the answer.
class HandshakeGrant {
 public:
  HandshakeGrant(HandshakeGrant&&) = default;
  HandshakeGrant& operator=(HandshakeGrant&&) = default;

 private:
  friend class HandshakeLimiter;
  HandshakeGrant() = default;
};

// How many M2 a server may send: at most `per_second` in any second. They are shared by source
// prefix (/24 of IPv4, also when mapped, /48 of IPv6): a prefix gets one only while those it got in
// the last second are fewer than those that are left. So one prefix gets at most half, and a prefix
// that has got none is refused only when nothing is left at all. Only for sources that have proven
// their address (a TCP connection, a cookie). One thread.
class HandshakeLimiter {
 public:
  // 1..kHandshakesPerSecondMax (checked).
  explicit HandshakeLimiter(std::size_t per_second = kHandshakesPerSecondDefault);

  // `now` never goes back.
  Result<HandshakeGrant> admit(const IpAddress& source, TimePoint now);
  // How many were granted in the second before `now`.
  std::size_t in_use(TimePoint now);

 private:
  struct Granted {
    TimePoint at;
    IpAddress prefix;
  };
  void forget_old(TimePoint now);

  std::size_t per_second_;
  std::deque<Granted> recent_;  // oldest first
};

}  // namespace karst::keys
