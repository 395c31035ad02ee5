#pragma once

#include "base/result.h"
#include "base/writer.h"
#include "stream/proxy/target.h"

namespace karst::stream::proxy {

// The header in front of each datagram between a SOCKS5 client and the UDP relay (RFC 1928
// section 7).
struct SocksDatagram {
  Target target;
  Bytes payload;  // borrowed from the input
};

inline constexpr std::size_t kSocksDatagramHeaderBytesMax = 4 + 1 + 255 + 2;

// kFragmentedDatagram when FRAG is not 0; kUnsupportedAddressType; kBadTarget; kMalformedSocks
// when bytes are missing. An empty payload is a datagram too. The reserved bytes are ignored.
Result<SocksDatagram> parse_socks_datagram(Bytes datagram);

// Appends the header alone: at most kSocksDatagramHeaderBytesMax bytes, which must fit.
void write_socks_datagram_header(const Target& target, Writer& writer);

}  // namespace karst::stream::proxy
