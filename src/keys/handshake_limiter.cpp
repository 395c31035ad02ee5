#include "keys/handshake_limiter.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/check.h"

namespace karst::keys {
namespace {

constexpr Duration kWindow = std::chrono::seconds(1);

// ::ffff:a.b.c.d counts as a.b.c.d (RFC 4291 section 2.5.5.2).
bool is_mapped(Bytes v6) {
  return std::ranges::all_of(v6.first(10), [](std::uint8_t byte) { return byte == 0; }) &&
         v6[10] == 0xff && v6[11] == 0xff;
}

IpAddress prefix_of(const IpAddress& address) {
  const Bytes bytes = address.bytes();
  if (address.is_v4() || is_mapped(bytes)) {
    const Bytes v4 = bytes.last(4);
    return IpAddress::v4({v4[0], v4[1], v4[2], 0});
  }
  std::array<std::uint8_t, 16> prefix{};
  copy_bytes(prefix, bytes.first(6));
  return IpAddress::v6(prefix);
}

}  // namespace

HandshakeLimiter::HandshakeLimiter(std::size_t per_second) : per_second_(per_second) {
  CHECK(per_second >= 1 && per_second <= kHandshakesPerSecondMax);
}

void HandshakeLimiter::forget_old(TimePoint now) {
  while (!recent_.empty() && recent_.front().at + kWindow <= now) recent_.pop_front();
}

std::size_t HandshakeLimiter::in_use(TimePoint now) {
  forget_old(now);
  return recent_.size();
}

Result<HandshakeGrant> HandshakeLimiter::admit(const IpAddress& source, TimePoint now) {
  forget_old(now);
  const IpAddress prefix = prefix_of(source);
  const auto used = static_cast<std::size_t>(std::ranges::count_if(
      recent_, [&](const Granted& granted) { return granted.prefix == prefix; }));
  if (used >= per_second_ - recent_.size()) return kRateLimited;
  recent_.push_back({now, prefix});
  return HandshakeGrant();
}

}  // namespace karst::keys
