#pragma once

#include <cstdint>
#include <optional>

#include "lab/link/super_packet.h"

namespace karst::lab {

// What a router answers to a packet that is longer than the next link takes (RFC 792 and RFC 1191,
// RFC 4443 section 3.2), with the virtio header, as if from the packet's destination. Nothing for a
// packet that may be fragmented: this wire drops that one without a word.
std::optional<ByteVector> too_big_answer(const SuperPacket& packet, std::uint32_t mtu);

}  // namespace karst::lab
