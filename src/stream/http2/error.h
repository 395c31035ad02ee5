#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace karst::stream::http2 {

// Every one of these ends the connection; `detail` is the HTTP/2 error code (RFC 9113 section 7)
// that our GOAWAY carries, unless said otherwise.
inline constexpr ErrorKind kProtocol{"http2", "protocol", "the peer broke the rules of HTTP/2"};
// No GOAWAY: what came is not HTTP/2 at all.
inline constexpr ErrorKind kBadPreface{"http2", "bad-preface",
                                       "the client did not open with the HTTP/2 preface"};
inline constexpr ErrorKind kReplyFlood{
    "http2", "reply-flood", "the peer asks for replies (SETTINGS, PING) faster than it reads them"};
inline constexpr ErrorKind kResetFlood{"http2", "reset-flood",
                                       "the peer opens and resets streams in a rush"};
inline constexpr ErrorKind kIdleFlood{"http2", "idle-flood",
                                      "the peer sends a mass of frames that carry nothing"};
inline constexpr ErrorKind kHeaderFlood{"http2", "header-flood",
                                        "the peer sends header blocks without an end"};
// nghttp2 gave up for a reason of its own; `detail` is its error number.
inline constexpr ErrorKind kLibrary{"http2", "library", "the HTTP/2 library failed"};

// Refusals to the caller of request(): nothing was sent, the session goes on.
inline constexpr ErrorKind kNoNewStreams{
    "http2", "no-new-streams", "the connection takes no further requests; open another one"};
inline constexpr ErrorKind kNoExtendedConnect{
    "http2", "no-extended-connect", "the server does not offer WebSocket over HTTP/2 (RFC 8441)"};

// HTTP/2 error codes (RFC 9113 section 7) that callers use or meet.
inline constexpr std::uint32_t kNoError = 0x0;
inline constexpr std::uint32_t kProtocolError = 0x1;
inline constexpr std::uint32_t kInternalError = 0x2;
inline constexpr std::uint32_t kFlowControlError = 0x3;
inline constexpr std::uint32_t kRefusedStream = 0x7;
inline constexpr std::uint32_t kCancel = 0x8;
inline constexpr std::uint32_t kEnhanceYourCalm = 0xb;

// "REFUSED_STREAM"; "unknown" for a number without a name.
std::string_view error_code_name(std::uint32_t code);

}  // namespace karst::stream::http2
