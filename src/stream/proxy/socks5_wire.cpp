#include "stream/proxy/socks5_wire.h"

#include <array>

namespace karst::stream::proxy {

SocksAddress read_socks_address(Reader& reader) {
  SocksAddress out{.known_type = true, .host = {}, .port = 0};
  switch (reader.u8()) {
    case kSocksIpv4: {
      std::array<std::uint8_t, 4> bytes;
      reader.copy(bytes);
      out.host = IpAddress::v4(bytes);
      break;
    }
    case kSocksIpv6: {
      std::array<std::uint8_t, 16> bytes;
      reader.copy(bytes);
      out.host = IpAddress::v6(bytes);
      break;
    }
    case kSocksName:
      // Clients that do not parse put addresses here too.
      out.host = parse_host(as_text(reader.bytes(reader.u8())));
      break;
    default:
      out.known_type = false;
  }
  out.port = reader.u16();
  return out;
}

}  // namespace karst::stream::proxy
