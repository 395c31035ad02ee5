#include "lab/link/super_packet.h"

#include <algorithm>

#include "base/check.h"
#include "lab/link/fields.h"
#include "lab/link/internet_checksum.h"

namespace karst::lab {
namespace {

constexpr std::size_t kIpv4HeaderBytes = 20;
constexpr std::size_t kIpv6HeaderBytes = 40;
constexpr std::size_t kUdpHeaderBytes = 8;
constexpr std::size_t kTcpHeaderBytes = 20;
constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;
// Where things are in an IP, TCP or UDP header.
constexpr std::size_t kIpv4Length = 2;
constexpr std::size_t kIpv4Id = 4;
constexpr std::size_t kIpv4Fragment = 6;
constexpr std::size_t kIpv4Protocol = 9;
constexpr std::size_t kIpv4Checksum = 10;
constexpr std::size_t kIpv6Length = 4;
constexpr std::size_t kIpv6Next = 6;
constexpr std::size_t kTcpSequence = 4;
constexpr std::size_t kTcpOffset = 12;
constexpr std::size_t kTcpFlags = 13;
constexpr std::size_t kTcpChecksum = 16;
constexpr std::size_t kUdpLength = 4;
constexpr std::size_t kUdpChecksum = 6;
constexpr std::uint8_t kFin = 0x01;
constexpr std::uint8_t kPush = 0x08;
constexpr std::uint8_t kCwr = 0x80;

}  // namespace

Result<SuperPacket> SuperPacket::parse(ByteVector bytes) {
  SuperPacket packet;
  packet.bytes_ = std::move(bytes);
  if (packet.bytes_.size() < kVnetHeaderBytes + kIpv4HeaderBytes) return kBadPacket;
  const Bytes ip = packet.ip();
  packet.version_ = ip[0] >> 4;
  bool fragment = false;
  if (packet.version_ == 4) {
    packet.network_bytes_ = std::size_t{ip[0] & 0x0fu} * 4;
    packet.protocol_ = ip[kIpv4Protocol];
    fragment = (get16(ip, kIpv4Fragment) & 0x3fff) != 0;
  } else if (packet.version_ == 6 && ip.size() >= kIpv6HeaderBytes) {
    packet.network_bytes_ = kIpv6HeaderBytes;
    packet.protocol_ = ip[kIpv6Next];
  } else {
    return kBadPacket;
  }
  if (packet.network_bytes_ < kIpv4HeaderBytes || packet.network_bytes_ > ip.size()) {
    return kBadPacket;
  }
  packet.header_bytes_ = packet.network_bytes_;
  const Bytes transport = ip.subspan(packet.network_bytes_);
  if (packet.protocol_ == kTcp && !fragment && transport.size() >= kTcpHeaderBytes) {
    const std::size_t length =
        std::size_t{static_cast<std::uint8_t>(transport[kTcpOffset] >> 4)} * 4;
    if (length < kTcpHeaderBytes) return kBadPacket;
    packet.has_ports_ = true;
    packet.header_bytes_ += length;
  } else if (packet.protocol_ == kUdp && !fragment && transport.size() >= kUdpHeaderBytes) {
    packet.has_ports_ = true;
    packet.header_bytes_ += kUdpHeaderBytes;
  }
  const VnetHeader header = VnetHeader::read(packet.bytes_);
  if (header.segmentation == VnetHeader::kNotSegmented) return packet;
  if (!packet.has_ports_ || header.segment_bytes == 0 || packet.header_bytes_ >= ip.size()) {
    return kBadPacket;
  }
  packet.segment_bytes_ = header.segment_bytes;
  const std::size_t payload = ip.size() - packet.header_bytes_;
  packet.segments_ = (payload + packet.segment_bytes_ - 1) / packet.segment_bytes_;
  return packet;
}

std::size_t SuperPacket::wire_bytes(std::size_t index) const {
  const std::size_t whole = bytes_.size() - kVnetHeaderBytes;
  if (segment_bytes_ == 0) return whole;
  const std::size_t payload = whole - header_bytes_;
  return header_bytes_ + std::min(segment_bytes_, payload - index * segment_bytes_);
}

bool SuperPacket::must_not_fragment() const {
  return version_ == 6 || (get16(ip(), kIpv4Fragment) & 0x4000) != 0;
}

SuperPacket SuperPacket::cut(std::size_t first, std::size_t count) const {
  CHECK(count > 0 && first + count <= segments_);
  SuperPacket part;
  part.version_ = version_;
  part.protocol_ = protocol_;
  part.has_ports_ = has_ports_;
  part.network_bytes_ = network_bytes_;
  part.header_bytes_ = header_bytes_;
  if (segment_bytes_ == 0) {
    part.bytes_ = bytes_;
    return part;
  }
  const Bytes payload = Bytes(bytes_).subspan(kVnetHeaderBytes + header_bytes_);
  const std::size_t from = first * segment_bytes_;
  const Bytes piece =
      payload.subspan(from, std::min(count * segment_bytes_, payload.size() - from));
  part.bytes_.reserve(kVnetHeaderBytes + header_bytes_ + piece.size());
  const Bytes headers = Bytes(bytes_).first(kVnetHeaderBytes + header_bytes_);
  part.bytes_.assign(headers.begin(), headers.end());
  part.bytes_.insert(part.bytes_.end(), piece.begin(), piece.end());
  part.segments_ = count;
  part.segment_bytes_ = count > 1 ? segment_bytes_ : 0;
  part.finish_cut(*this, first, count);
  return part;
}

// Makes the headers of a piece what the kernel's own segmentation would make them.
void SuperPacket::finish_cut(const SuperPacket& whole, std::size_t first, std::size_t count) {
  VnetHeader header = VnetHeader::read(bytes_);
  if (count == 1) {
    header.segmentation = VnetHeader::kNotSegmented;
    header.segment_bytes = 0;
  }
  header.write(bytes_);
  const MutableBytes ip = MutableBytes(bytes_).subspan(kVnetHeaderBytes);
  if (version_ == 4) {
    put16(ip, kIpv4Length, ip.size());
    put16(ip, kIpv4Id, get16(ip, kIpv4Id) + first);
    put16(ip, kIpv4Checksum, 0);
    put16(ip, kIpv4Checksum, internet_checksum(ip.first(network_bytes_)));
  } else {
    put16(ip, kIpv6Length, ip.size() - kIpv6HeaderBytes);
  }
  const MutableBytes transport = ip.subspan(network_bytes_);
  std::size_t checksum_at = kUdpChecksum;
  if (protocol_ == kTcp) {
    checksum_at = kTcpChecksum;
    put32(
        transport, kTcpSequence,
        get32(transport, kTcpSequence) + static_cast<std::uint32_t>(first * whole.segment_bytes_));
    if (first > 0) transport[kTcpFlags] &= static_cast<std::uint8_t>(~kCwr);
    if (first + count < whole.segments_) {
      transport[kTcpFlags] &= static_cast<std::uint8_t>(~(kFin | kPush));
    }
  } else {
    put16(transport, kUdpLength, transport.size());
  }
  // The kernel leaves the sum over the payload to whoever needs it, and puts the pseudo-header's
  // here, which covers the length.
  put16(transport, checksum_at, pseudo_header_sum(ip, protocol_, transport.size()));
}

std::uint16_t SuperPacket::source_port() const {
  return has_ports_ ? get16(ip(), network_bytes_) : std::uint16_t{0};
}

std::uint16_t SuperPacket::destination_port() const {
  return has_ports_ ? get16(ip(), network_bytes_ + 2) : std::uint16_t{0};
}

void SuperPacket::set_source_port(std::uint16_t port) { set_port(0, port); }
void SuperPacket::set_destination_port(std::uint16_t port) { set_port(2, port); }

void SuperPacket::set_port(std::size_t offset, std::uint16_t port) {
  CHECK(has_ports_);
  const MutableBytes transport = MutableBytes(bytes_).subspan(kVnetHeaderBytes + network_bytes_);
  const std::uint16_t before = get16(transport, offset);
  put16(transport, offset, port);
  // A sum that the kernel has still to make covers the ports by itself.
  if ((VnetHeader::read(bytes_).flags & VnetHeader::kNeedsChecksum) != 0) return;
  const std::size_t at = protocol_ == kTcp ? kTcpChecksum : kUdpChecksum;
  const std::uint16_t sum = get16(transport, at);
  if (protocol_ == kUdp && sum == 0) return;
  put16(transport, at, updated_checksum(sum, before, port));
}

}  // namespace karst::lab
