#pragma once

#include <cstddef>
#include <cstdint>

// Every bound of a message format. Timing constants stand with the rule that uses them.

namespace karst::wire {

// Handshake records (docs/protocol/session.md).
inline constexpr std::size_t kRecordFieldsMax = 64;
inline constexpr std::size_t kM1BytesMax = 4'096;
inline constexpr std::size_t kM2ClearBytesMax = 4'096;
// The M2 message as a whole: clear part, sealed part and its tag, without the front seal.
inline constexpr std::size_t kM2BytesMax = 10'240;
inline constexpr std::size_t kM3BytesMax = 8'192;
inline constexpr std::size_t kOkBytesMax = 4'096;

// Invites.
inline constexpr std::size_t kInviteBytesMax = 2'560;
inline constexpr std::size_t kInviteAddressesMax = 8;
inline constexpr std::size_t kHostBytesMax = 253;

}  // namespace karst::wire
