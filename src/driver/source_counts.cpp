#include "driver/source_counts.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace karst::driver {
namespace {

constexpr std::size_t kV6PrefixBytes = 7;
// ::ffff:0:0/96, as an IPv4 client looks to a listener on [::].
constexpr std::array<std::uint8_t, 12> kMappedV4{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

IpAddress source_of(const IpAddress& address) {
  if (address.is_v4()) return address;
  const Bytes bytes = address.bytes();
  if (std::ranges::equal(bytes.first(kMappedV4.size()), kMappedV4)) {
    std::array<std::uint8_t, 4> v4{};
    copy_bytes(v4, bytes.last(v4.size()));
    return IpAddress::v4(v4);
  }
  std::array<std::uint8_t, 16> prefix{};
  copy_bytes(prefix, bytes.first(kV6PrefixBytes));
  return IpAddress::v6(prefix);
}

}  // namespace

bool SourceCounts::enter(const IpAddress& address) {
  const IpAddress source = source_of(address);
  const auto found = counts_.find(source);
  const std::size_t count = found == counts_.end() ? 0 : found->second;
  if (count >= limit_) return false;
  counts_[source] = count + 1;
  return true;
}

void SourceCounts::leave(const IpAddress& address) {
  const auto found = counts_.find(source_of(address));
  CHECK(found != counts_.end());
  if (--found->second == 0) counts_.erase(found);
}

}  // namespace karst::driver
