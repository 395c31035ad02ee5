#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ip.h"

namespace karst {

// A network: the addresses of one family whose first bits() bits equal those of base(). An IPv4
// network never contains an IPv6 address, not even an IPv4-mapped one.
class Cidr {
 public:
  // "10.0.0.0/8", "2001:db8::/32", or a bare address for that address alone. Bits behind the
  // prefix must be zero: "10.1.2.3/8" is refused, since it hides which of two things was meant.
  static std::optional<Cidr> parse(std::string_view text);
  // The network of `bits` bits (at most 32 or 128, else CHECK) that contains `address`.
  static Cidr around(const IpAddress& address, unsigned bits);

  const IpAddress& base() const { return base_; }
  unsigned bits() const { return bits_; }
  bool contains(const IpAddress& address) const;
  std::string text() const;
  auto operator<=>(const Cidr&) const = default;

 private:
  Cidr(const IpAddress& base, unsigned bits) : base_(base), bits_(bits) {}

  IpAddress base_;
  unsigned bits_;
};

}  // namespace karst
