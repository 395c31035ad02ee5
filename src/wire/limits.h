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

// Frames of the multiplexer (docs/protocol/mux.md).
inline constexpr std::size_t kFrameHeaderBytes = 8;
// 16,384 - 9 (HTTP/2) - 8 (WebSocket) - 16 (tag) - 16 (epoch, sequence): fills one TLS record.
inline constexpr std::size_t kPlaintextBytesMax = 16'335;
inline constexpr std::size_t kFramePayloadBytesMax = kPlaintextBytesMax - kFrameHeaderBytes;
inline constexpr std::uint32_t kStreamIdMax = 0x7fff'ffff;
inline constexpr std::size_t kTargetBytesMax = 1 + 1 + kHostBytesMax + 2;
inline constexpr std::size_t kCongestionControlBytesMax = 15;
// What may be sent before the first CREDIT, on a stream and on the link; and the bytes of each
// stream that the link's window does not count. Reasons: stream/mux/link_window.h.
inline constexpr std::uint64_t kStreamWindowInitial = 1 << 20;
inline constexpr std::uint64_t kLinkWindowInitial = 4 << 20;
inline constexpr std::uint64_t kStreamPrivateBytes = 32 * 1024;
inline constexpr std::uint64_t kOffsetMax = 1ull << 62;

}  // namespace karst::wire
