#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "lab/link/vnet_header.h"

namespace karst::lab {

inline constexpr std::size_t kPacketBytesMax = kVnetHeaderBytes + 65'535 + 40;

inline constexpr ErrorKind kBadPacket{"lab", "bad-packet",
                                      "a device gave something that is no IP packet"};

// A packet as a TUN device gives it: often a super-packet, several segments of one flow under one
// header, which a wire would see one by one.
class SuperPacket {
 public:
  // `bytes` starts with the virtio header.
  static Result<SuperPacket> parse(ByteVector bytes);

  std::size_t segments() const { return segments_; }
  // The IP packet that segment `index` is on a wire, in bytes.
  std::size_t wire_bytes(std::size_t index) const;
  std::size_t wire_bytes_max() const { return wire_bytes(0); }
  bool is_udp() const { return protocol_ == 17; }
  bool is_tcp() const { return protocol_ == 6; }
  bool is_v6() const { return version_ == 6; }
  // RFC 791: what is too long may not be cut, so the sender must be told. Always true of IPv6.
  bool must_not_fragment() const;

  // Segments [first, first + count) as a packet of their own. first + count <= segments().
  SuperPacket cut(std::size_t first, std::size_t count) const;

  // The ports of TCP and UDP; 0 for anything else, and for fragments.
  std::uint16_t source_port() const;
  std::uint16_t destination_port() const;
  void set_source_port(std::uint16_t port);
  void set_destination_port(std::uint16_t port);

  // Gives the bytes away; the packet is then only to be destroyed.
  ByteVector take() && { return std::move(bytes_); }
  // With the virtio header, as a device takes it.
  Bytes bytes() const { return bytes_; }
  // Without it.
  Bytes ip() const { return Bytes(bytes_).subspan(kVnetHeaderBytes); }

 private:
  SuperPacket() = default;
  void set_port(std::size_t offset, std::uint16_t port);
  void finish_cut(const SuperPacket& whole, std::size_t first, std::size_t count);

  ByteVector bytes_;
  std::uint8_t version_ = 4;
  std::uint8_t protocol_ = 0;
  bool has_ports_ = false;
  std::size_t network_bytes_ = 0;  // IP header and extensions
  std::size_t header_bytes_ = 0;   // what every segment repeats: that and the TCP or UDP header
  std::size_t segment_bytes_ = 0;  // payload of all segments but the last; 0: not a super-packet
  std::size_t segments_ = 1;
};

}  // namespace karst::lab
