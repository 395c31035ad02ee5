#include "stream/proxy/socks5_udp.h"

#include "base/reader.h"
#include "stream/proxy/error.h"
#include "stream/proxy/socks5_wire.h"

namespace karst::stream::proxy {

Result<SocksDatagram> parse_socks_datagram(Bytes datagram) {
  Reader reader(datagram);
  reader.u16();
  if (reader.u8() != 0) return kFragmentedDatagram;
  SocksAddress to = read_socks_address(reader);
  if (!reader.ok()) return kMalformedSocks;
  if (!to.known_type) return kUnsupportedAddressType;
  if (!to.host || to.port == 0) return kBadTarget;
  return SocksDatagram{{*std::move(to.host), to.port}, reader.rest()};
}

void write_socks_datagram_header(const Target& target, Writer& writer) {
  writer.u24(0);  // reserved, FRAG
  if (const auto* address = std::get_if<IpAddress>(&target.host)) {
    writer.u8(address->is_v4() ? kSocksIpv4 : kSocksIpv6);
    writer.bytes(address->bytes());
  } else {
    const std::string& name = std::get<HostName>(target.host).text();
    writer.u8(kSocksName);
    writer.u8(static_cast<std::uint8_t>(name.size()));
    writer.bytes(as_bytes(name));
  }
  writer.u16(target.port);
}

}  // namespace karst::stream::proxy
