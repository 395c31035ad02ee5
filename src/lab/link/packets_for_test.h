#pragma once

#include <cstdint>

#include "base/bytes.h"
#include "lab/link/internet_checksum.h"
#include "lab/link/super_packet.h"

// Packets as a TUN device would give them. Tests only.
namespace karst::lab {

struct TestPacket {
  bool v6 = false;
  bool tcp = true;
  std::size_t payload = 1448;
  std::uint16_t segment_bytes = 0;  // 0: no super-packet
  std::uint32_t sequence = 1000;
  std::uint8_t flags = 0x10;
  bool may_fragment = false;
};

inline void store(MutableBytes out, std::size_t at, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) {
    out[at + i] = static_cast<std::uint8_t>(value >> (8 * (bytes - 1 - i)));
  }
}

inline std::uint64_t load(Bytes in, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value = value << 8 | in[at + i];
  return value;
}

inline ByteVector make_packet(const TestPacket& want) {
  const std::size_t network = want.v6 ? 40 : 20;
  const std::size_t transport = want.tcp ? 20 : 8;
  ByteVector out(kVnetHeaderBytes + network + transport + want.payload);
  VnetHeader header{.flags = VnetHeader::kNeedsChecksum,
                    .header_bytes = static_cast<std::uint16_t>(network + transport),
                    .checksum_start = static_cast<std::uint16_t>(network),
                    .checksum_offset = static_cast<std::uint16_t>(want.tcp ? 16 : 6)};
  if (want.segment_bytes != 0) {
    header.segmentation = !want.tcp ? VnetHeader::kUdp
                          : want.v6 ? VnetHeader::kTcp6
                                    : VnetHeader::kTcp4;
    header.segment_bytes = want.segment_bytes;
  }
  header.write(out);
  const MutableBytes ip = MutableBytes(out).subspan(kVnetHeaderBytes);
  const std::uint8_t protocol = want.tcp ? 6 : 17;
  if (want.v6) {
    ip[0] = 0x60;
    store(ip, 4, ip.size() - 40, 2);
    ip[6] = protocol;
    ip[7] = 64;
    ip[23] = 1;
    ip[39] = 2;
  } else {
    ip[0] = 0x45;
    store(ip, 2, ip.size(), 2);
    store(ip, 4, 77, 2);
    store(ip, 6, want.may_fragment ? 0 : 0x4000, 2);
    ip[8] = 64;
    ip[9] = protocol;
    store(ip, 12, 0xc6120001, 4);
    store(ip, 16, 0xc6120002, 4);
    store(ip, 10, internet_checksum(ip.first(20)), 2);
  }
  const MutableBytes l4 = ip.subspan(network);
  store(l4, 0, 40'000, 2);
  store(l4, 2, 443, 2);
  if (want.tcp) {
    store(l4, 4, want.sequence, 4);
    l4[12] = 0x50;
    l4[13] = want.flags;
  } else {
    store(l4, 4, l4.size(), 2);
  }
  for (std::size_t i = 0; i < want.payload; ++i) {
    l4[transport + i] = static_cast<std::uint8_t>(i * 7);
  }
  store(l4, want.tcp ? 16 : 6, pseudo_header_sum(ip, protocol, l4.size()), 2);
  return out;
}

inline SuperPacket parse_packet(const TestPacket& want) {
  return *SuperPacket::parse(make_packet(want));
}

}  // namespace karst::lab
