#pragma once

#include <cstddef>
#include <cstdint>

namespace karst::stream::http2 {

inline constexpr std::size_t kFrameHeaderBytes = 9;
// One full TLS record. Output is made in blocks of this size.
inline constexpr std::size_t kBlockBytes = 16'384;
// The most payload we put into one DATA frame, so that a full one fills a block exactly.
inline constexpr std::size_t kMaxDataBytes = kBlockBytes - kFrameHeaderBytes;

// What a window may grow to: RFC 9113 section 6.9.1.
inline constexpr std::int32_t kMaxWindow = 0x7fffffff;

// Received header lists, counted as RFC 9113 section 6.5.2 does (32 bytes per field on top).
inline constexpr std::size_t kRequestHeaderBytesMax = 32 * 1024;
inline constexpr std::size_t kResponseHeaderBytesMax = 64 * 1024;

// What a peer may make us queue or do, per connection.
inline constexpr std::uint32_t kMaxConcurrentStreams = 100;
inline constexpr std::size_t kMaxQueuedReplies = 128;   // SETTINGS and PING acknowledgements
inline constexpr std::size_t kMaxQueuedFrames = 2'000;  // all control frames together
inline constexpr std::size_t kMaxSettingsEntries = 32;  // in one SETTINGS frame
inline constexpr std::size_t kMaxContinuations = 8;     // of one header block
inline constexpr std::uint64_t kMaxPeerResets = 1'000;  // RST_STREAM received in all
inline constexpr std::uint64_t kMaxForcedResets =
    1'000;  // RST_STREAM the peer's faults cost in all
// Frames that carry nothing (unknown types, empty DATA, PRIORITY, SETTINGS): so many in a row,
// where every frame that carries something makes up for one.
inline constexpr std::uint32_t kMaxIdleFrames = 1'000;

// Consumed bytes go back to the sender as soon as they make up this part of the window.
inline constexpr std::int32_t kCreditReturnsPerWindow = 8;

}  // namespace karst::stream::http2
