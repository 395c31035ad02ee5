#include "lab/link/too_big_answer.h"

#include <algorithm>

#include "base/bytes.h"
#include "lab/link/fields.h"
#include "lab/link/internet_checksum.h"

namespace karst::lab {
namespace {

constexpr std::size_t kIcmpHeaderBytes = 8;
constexpr std::uint8_t kIcmp = 1;
constexpr std::uint8_t kIcmpV6 = 58;
constexpr std::uint8_t kHops = 64;

ByteVector answer_v4(Bytes ip, std::uint32_t mtu) {
  constexpr std::size_t kHeader = 20;
  const Bytes quoted = ip.first(std::min<std::size_t>(ip.size(), 548));
  ByteVector out(kVnetHeaderBytes + kHeader + kIcmpHeaderBytes + quoted.size());
  const MutableBytes packet = MutableBytes(out).subspan(kVnetHeaderBytes);
  packet[0] = 0x45;
  put16(packet, 2, packet.size());
  packet[8] = kHops;
  packet[9] = kIcmp;
  copy_bytes(packet.subspan(12, 4), ip.subspan(16, 4));
  copy_bytes(packet.subspan(16, 4), ip.subspan(12, 4));
  put16(packet, 10, internet_checksum(packet.first(kHeader)));
  const MutableBytes icmp = packet.subspan(kHeader);
  icmp[0] = 3;  // destination unreachable
  icmp[1] = 4;  // fragmentation needed
  put16(icmp, 6, mtu);
  copy_bytes(icmp.subspan(kIcmpHeaderBytes), quoted);
  put16(icmp, 2, internet_checksum(icmp));
  return out;
}

ByteVector answer_v6(Bytes ip, std::uint32_t mtu) {
  constexpr std::size_t kHeader = 40;
  const Bytes quoted = ip.first(std::min<std::size_t>(ip.size(), 1232));
  ByteVector out(kVnetHeaderBytes + kHeader + kIcmpHeaderBytes + quoted.size());
  const MutableBytes packet = MutableBytes(out).subspan(kVnetHeaderBytes);
  packet[0] = 0x60;
  put16(packet, 4, packet.size() - kHeader);
  packet[6] = kIcmpV6;
  packet[7] = kHops;
  copy_bytes(packet.subspan(8, 16), ip.subspan(24, 16));
  copy_bytes(packet.subspan(24, 16), ip.subspan(8, 16));
  const MutableBytes icmp = packet.subspan(kHeader);
  icmp[0] = 2;  // packet too big
  put32(icmp, 4, mtu);
  copy_bytes(icmp.subspan(kIcmpHeaderBytes), quoted);
  // The pseudo-header counts as well: its sum in the field first, then the sum over all.
  put16(icmp, 2, pseudo_header_sum(packet, kIcmpV6, icmp.size()));
  put16(icmp, 2, internet_checksum(icmp));
  return out;
}

}  // namespace

std::optional<ByteVector> too_big_answer(const SuperPacket& packet, std::uint32_t mtu) {
  if (!packet.must_not_fragment()) return std::nullopt;
  return packet.is_v6() ? answer_v6(packet.ip(), mtu) : answer_v4(packet.ip(), mtu);
}

}  // namespace karst::lab
