#pragma once

#include <cstdint>
#include <optional>

#include "base/reader.h"
#include "stream/proxy/target.h"

namespace karst::stream::proxy {

// What SOCKS5 requests and datagrams have in common (RFC 1928 section 5).
inline constexpr std::uint8_t kSocksVersion = 0x05;
inline constexpr std::uint8_t kSocks4Version = 0x04;
inline constexpr std::uint8_t kSocksIpv4 = 0x01;
inline constexpr std::uint8_t kSocksName = 0x03;
inline constexpr std::uint8_t kSocksIpv6 = 0x04;
// VER CMD RSV ATYP
inline constexpr std::size_t kSocksRequestHeadBytes = 4;

struct SocksAddress {
  bool known_type = false;
  std::optional<Host> host;  // none: a name that cannot be one
  std::uint16_t port = 0;
};

// ATYP, address and port. Whether all bytes were there, the reader says.
SocksAddress read_socks_address(Reader& reader);

}  // namespace karst::stream::proxy
