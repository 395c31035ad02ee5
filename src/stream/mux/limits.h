#pragma once

#include <cstddef>
#include <cstdint>

#include "base/time.h"
#include "wire/limits.h"

namespace karst::stream::mux {

// What both sides of a link know (the OK record of the handshake) or each decides for itself.
struct Limits {
  // Both sides must use the same number: to exceed it is an error of the client. Streams that wait
  // for an answer count like any other: how long that takes is not the client's doing.
  std::size_t streams = 1024;
  // How far the receive windows may grow; at least the initial ones of wire/limits.h.
  std::uint64_t stream_window = 96ull << 20;
  std::uint64_t link_window = 128ull << 20;
};

// What waits to be sent on one stream at most. Small, because what is queued here cannot be
// overtaken, and enough for two milliseconds at 1 Gbit/s between two turns of the loop.
inline constexpr std::size_t kSendQueueBytes = 256 * 1024;
// What all streams of a link may have queued to send; beyond it each stream still gets one chunk
// of a ByteQueue, so that no stream can keep another from sending.
inline constexpr std::size_t kLinkSendQueueBytes = 16 << 20;

// Packets, per queue and direction. 1 MiB is 8 ms at 1 Gbit/s; CoDel keeps the queue shorter.
inline constexpr std::size_t kPacketQueueBytes = 1 << 20;
inline constexpr std::size_t kDatagramQueueBytes = 128 * 1024;
// All datagram queues of a link in one direction.
inline constexpr std::size_t kLinkDatagramBytes = 8 << 20;

// The first bytes of a link go out in records that fit a TCP segment, so that the far side need
// not wait for the rest of a large one while TCP's initial window (RFC 6928) is open: 1,300 and
// 71 bytes around it stay below a segment of 1,400.
inline constexpr std::size_t kEarlyBytes = 16 * 1024;
inline constexpr std::size_t kEarlyRecordBytes = 1'300;

// docs/protocol/mux.md, Floods. What a correct peer sends is bounded by what happened on the link,
// never by the clock: a burst of honest work of any size stays inside.
// REPORTs of a peer that says one each second gather for as long as its TCP may be silent.
inline constexpr std::uint32_t kPingBurst = 256;
inline constexpr std::uint32_t kPingsPerSecond = 8;
// One CREDIT for each stream (when its end is taken), one for each so many bytes that the peer was
// sent (we let kBytesBetweenCredits at least pass between two), and those of the link's window,
// each a sixteenth larger than the one before.
inline constexpr std::uint64_t kCreditsOfLink = 1'024;
inline constexpr std::uint64_t kBytesPerCredit = 8'192;
inline constexpr std::uint64_t kBytesBetweenCredits = 16'384;
// A link's window is announced again when it has grown by this part.
inline constexpr std::uint64_t kLinkCreditStep = 16;

// Assumed until the owner knows better.
inline constexpr Duration kRttInitial = std::chrono::milliseconds(100);

}  // namespace karst::stream::mux
