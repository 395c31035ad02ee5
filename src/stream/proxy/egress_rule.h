#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/cidr.h"

namespace karst::stream::proxy {

// An exception to what the egress policy allows by itself: a network, and for which ports.
struct EgressRule {
  enum class Action : std::uint8_t { allow, deny };
  Action action;
  Cidr network;
  std::uint16_t port_first = 1;
  std::uint16_t port_last = 65535;

  // "10.0.0.0/8", "10.0.0.0/8 443", "2001:db8::/32 1000-2000".
  static std::optional<EgressRule> parse(Action action, std::string_view text);
  bool operator==(const EgressRule&) const = default;
};

}  // namespace karst::stream::proxy
