#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

// The local socket between the daemon and the commands that ask it (`karst status`): each message,
// either way, is a length of 4 bytes, big-endian, and that many bytes of text. A client may send
// the next request once it has the answer to the last.
namespace karst::platform {

inline constexpr std::size_t kControlHeaderBytes = 4;
inline constexpr std::size_t kControlRequestBytesMax = 64 * 1024;
inline constexpr std::size_t kControlReplyBytesMax = 16 * 1024 * 1024;

inline constexpr ErrorKind kDaemonNotRunning{"control", "daemon-not-running",
                                             "no karst daemon listens at the control socket"};
inline constexpr ErrorKind kDaemonForbids{
    "control", "forbidden",
    "the daemon runs as another user; run this command as that user or as root"};
inline constexpr ErrorKind kDaemonSilent{"control", "daemon-silent",
                                         "the daemon did not answer in time"};
inline constexpr ErrorKind kDaemonHungUp{"control", "daemon-hung-up",
                                         "the daemon closed the connection without an answer"};
inline constexpr ErrorKind kControlTooLong{"control", "too-long",
                                           "the message is longer than the control socket allows"};

std::array<std::uint8_t, kControlHeaderBytes> control_header(std::size_t length);
std::size_t control_length(std::string_view header);

}  // namespace karst::platform
