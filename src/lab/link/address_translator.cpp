#include "lab/link/address_translator.h"

namespace karst::lab {
namespace {

// Ports of one mapping epoch are those of the last with some bits turned: never the same, and two
// flows never meet.
constexpr std::uint16_t kStep = 0x0155;

}  // namespace

void AddressTranslator::rebind() {
  mask_ = static_cast<std::uint16_t>(mask_ + kStep);
  inner_ports_.clear();
}

bool AddressTranslator::outward(SuperPacket& packet) {
  const std::uint16_t inner = packet.source_port();
  if (mask_ == 0 || inner == 0) return true;
  // Port 0 is none: the one flow that would get it keeps its own, which no other can get.
  const auto outer = inner == mask_ ? inner : static_cast<std::uint16_t>(inner ^ mask_);
  if (inner_ports_.size() >= kMappingsMax) return false;
  inner_ports_[{packet.is_udp(), outer}] = inner;
  packet.set_source_port(outer);
  return true;
}

bool AddressTranslator::inward(SuperPacket& packet) const {
  if (mask_ == 0 || packet.destination_port() == 0) return true;
  const auto found = inner_ports_.find({packet.is_udp(), packet.destination_port()});
  if (found == inner_ports_.end()) return false;
  packet.set_destination_port(found->second);
  return true;
}

}  // namespace karst::lab
