#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::stream::websocket {

// RFC 6455 section 5.2.
enum class Opcode : std::uint8_t {
  continuation = 0x0,
  text = 0x1,
  binary = 0x2,
  close = 0x8,
  ping = 0x9,
  pong = 0xa,
};

// Which end we are: a client masks what it sends, a server must not.
enum class Role : std::uint8_t { client, server };

using MaskKey = std::array<std::uint8_t, 4>;

// 2 bytes, up to 8 of extended length, 4 of mask.
inline constexpr std::size_t kMaxHeaderBytes = 14;
inline constexpr std::size_t kMaxControlBytes = 125;
inline constexpr std::size_t kMaxMessageBytes = 1024 * 1024;
// A message may come in so many frames: more of them can only be meant to cost us work.
inline constexpr std::size_t kMaxFragments = 1024;

// Close codes (RFC 6455 section 7.4.1).
inline constexpr std::uint16_t kCloseNormal = 1000;
inline constexpr std::uint16_t kCloseGoingAway = 1001;
inline constexpr std::uint16_t kCloseProtocolError = 1002;
inline constexpr std::uint16_t kCloseUnsupported = 1003;
inline constexpr std::uint16_t kCloseNone = 1005;  // a close frame without a code; never sent
inline constexpr std::uint16_t kCloseBadData = 1007;
inline constexpr std::uint16_t kClosePolicy = 1008;
inline constexpr std::uint16_t kCloseTooBig = 1009;
inline constexpr std::uint16_t kCloseInternalError = 1011;

// What a decoder refuses; `detail` is the close code that answers it.
inline constexpr ErrorKind kReservedBits{"websocket", "reserved-bits",
                                         "a frame has reserved bits set"};
inline constexpr ErrorKind kBadOpcode{"websocket", "bad-opcode", "a frame's opcode is undefined"};
inline constexpr ErrorKind kBadControlFrame{"websocket", "bad-control-frame",
                                            "a control frame is too long or fragmented"};
inline constexpr ErrorKind kBadMasking{"websocket", "bad-masking",
                                       "a client's frame is not masked, or a server's frame is"};
inline constexpr ErrorKind kBadLength{"websocket", "bad-length",
                                      "a frame's length is not in its shortest form"};
inline constexpr ErrorKind kBadContinuation{
    "websocket", "bad-continuation",
    "a fragment continues no message, or a message starts inside another"};
inline constexpr ErrorKind kTooBig{"websocket", "too-big", "a message is over the size limit"};
inline constexpr ErrorKind kTooManyFragments{"websocket", "too-many-fragments",
                                             "a message comes in too many fragments"};
inline constexpr ErrorKind kBadText{"websocket", "bad-text",
                                    "a text or a close reason is not valid UTF-8"};
inline constexpr ErrorKind kBadClose{"websocket", "bad-close",
                                     "a close frame's code is not allowed"};

// Copies `from` to the front of `to` while applying the mask, 8 bytes at a time. `phase` is the
// offset of from[0] within the frame's payload. `to` may be exactly `from`, else they must not
// overlap.
void mask_copy(MutableBytes to, Bytes from, MaskKey key, std::size_t phase);

}  // namespace karst::stream::websocket
