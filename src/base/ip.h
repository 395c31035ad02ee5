#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/bytes.h"

namespace karst {

// An IPv4 or IPv6 address without scope id. IPv4-mapped IPv6 stays IPv6: whoever decides on
// addresses (proxy/egress_policy.h) looks inside.
class IpAddress {
 public:
  // 0.0.0.0
  IpAddress() = default;
  static IpAddress v4(std::array<std::uint8_t, 4> bytes);
  static IpAddress v6(std::array<std::uint8_t, 16> bytes);
  // Exactly the textual forms of inet_pton(3): "192.0.2.1", "2001:db8::1"; no brackets, no scope.
  static std::optional<IpAddress> parse(std::string_view text);

  bool is_v4() const { return v4_; }
  // 4 or 16 bytes in network order, borrowed from this object.
  Bytes bytes() const { return Bytes(bytes_).first(v4_ ? 4 : 16); }
  std::string text() const;
  auto operator<=>(const IpAddress&) const = default;

 private:
  std::array<std::uint8_t, 16> bytes_{};
  bool v4_ = true;
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;

  // "192.0.2.1:443" or "[2001:db8::1]:443".
  static std::optional<Endpoint> parse(std::string_view text);
  std::string text() const;
  auto operator<=>(const Endpoint&) const = default;
};

// A decimal port, 1 to 65535, without sign or leading zeros.
std::optional<std::uint16_t> parse_port(std::string_view text);

}  // namespace karst
