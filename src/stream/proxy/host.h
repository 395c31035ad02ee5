#pragma once

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

}  // namespace karst::stream::proxy
