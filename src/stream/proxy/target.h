#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/ip.h"

namespace karst::stream::proxy {

// A DNS name as it may be asked for: 1 to 253 bytes of letters, digits, hyphens and underscores in
// labels of 1 to 63 bytes, in lower case, with at most one dot at the end. A name whose last label
// is a number ("127.1", "0x7f000001", "2130706433") is none: some resolvers would read an address
// that no policy has seen. Names in Unicode come in as punycode.
class HostName {
 public:
  static std::optional<HostName> parse(std::string_view text);
  const std::string& text() const { return text_; }
  auto operator<=>(const HostName&) const = default;

 private:
  explicit HostName(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

inline constexpr std::size_t kHostNameBytesMax = 253;

using Host = std::variant<IpAddress, HostName>;

// An address if `text` is one ("192.0.2.1", "2001:db8::1"; brackets allowed around IPv6 only),
// else a name.
std::optional<Host> parse_host(std::string_view text);

// Where a stream or datagram is to go. The port is 1 to 65535.
struct Target {
  Host host;
  std::uint16_t port = 0;

  static std::optional<Target> make(std::string_view host, std::uint16_t port);
  // "example.org:443", "192.0.2.1:443", "[2001:db8::1]:443". Without a port it needs
  // `default_port`, of which 0 means none.
  static std::optional<Target> parse(std::string_view authority, std::uint16_t default_port = 0);
  std::string text() const;
  auto operator<=>(const Target&) const = default;
};

}  // namespace karst::stream::proxy
