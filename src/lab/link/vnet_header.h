#pragma once

#include <cstdint>
#include <cstring>

#include "base/bytes.h"

namespace karst::lab {

// What the kernel puts in front of each packet of a TUN device with IFF_VNET_HDR: struct
// virtio_net_hdr (virtio 1.2 section 5.1.6) in the machine's byte order. Linux's own header for it
// does not compile as C++.
struct VnetHeader {
  static constexpr std::uint8_t kNeedsChecksum = 1;  // a flag
  static constexpr std::uint8_t kNotSegmented = 0;   // segmentation types
  static constexpr std::uint8_t kTcp4 = 1;
  static constexpr std::uint8_t kTcp6 = 4;
  static constexpr std::uint8_t kUdp = 5;
  static constexpr std::uint8_t kEcn = 0x80;  // or-ed to kTcp4 and kTcp6

  std::uint8_t flags = 0;
  std::uint8_t segmentation = kNotSegmented;
  std::uint16_t header_bytes = 0;
  std::uint16_t segment_bytes = 0;  // payload of each segment
  std::uint16_t checksum_start = 0;
  std::uint16_t checksum_offset = 0;

  static VnetHeader read(Bytes packet) {
    VnetHeader header;
    std::memcpy(&header, packet.data(), sizeof header);
    return header;
  }
  void write(MutableBytes packet) const { std::memcpy(packet.data(), this, sizeof *this); }
};
inline constexpr std::size_t kVnetHeaderBytes = sizeof(VnetHeader);
static_assert(kVnetHeaderBytes == 10);

}  // namespace karst::lab
