#pragma once

#include <cstdint>

#include "base/bytes.h"

// The checksum of RFC 1071. All values are in the order of the header's bytes, as numbers.
namespace karst::lab {

// Over `bytes`, complemented: what the header's field holds.
std::uint16_t internet_checksum(Bytes bytes);

// Of the pseudo-header of the IP packet `ip` (RFC 9293 section 3.1, RFC 8200 section 8.1) for
// `length` bytes of `protocol`; not complemented. What a kernel leaves in the field of a packet
// whose checksum is still to be made.
std::uint16_t pseudo_header_sum(Bytes ip, std::uint8_t protocol, std::size_t length);

// The field after a 16-bit word that it covers changed (RFC 1624).
std::uint16_t updated_checksum(std::uint16_t checksum, std::uint16_t before, std::uint16_t after);

}  // namespace karst::lab
