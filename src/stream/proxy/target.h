#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/proxy/host.h"

namespace karst::stream::proxy {

// Where a stream or datagram is to go. The port is 1 to 65535.
struct Target {
  Host host;
  std::uint16_t port = 0;

  static std::optional<Target> make(std::string_view host, std::uint16_t port);
  // "example.org:443", "192.0.2.1:443", "[2001:db8::1]:443". Without a port it needs
  // `default_port`, of which 0 means none.
  static std::optional<Target> from_authority(std::string_view authority,
                                              std::uint16_t default_port = 0);
  std::string text() const;
  auto operator<=>(const Target&) const = default;
};

}  // namespace karst::stream::proxy
