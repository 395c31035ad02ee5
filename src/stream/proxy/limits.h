#pragma once

#include <cstddef>

#include "base/time.h"

namespace karst::stream::proxy {

// Every bound of the proxy entry and of the server's egress.

// From the accepted connection to its complete request.
inline constexpr Duration kGreetingTime = std::chrono::seconds(30);
// A request or response head, from its first byte to the empty line.
inline constexpr std::size_t kHttpHeadBytesMax = 32 * 1024;
// What the entry holds for one direction before it takes no more from the other side. A head is
// rewritten into the same queue, so a queue holds at most this, one head and what rewriting adds.
inline constexpr std::size_t kPendingBytesMax = 64 * 1024;

// RFC 8305 section 8.
inline constexpr Duration kResolutionDelay = std::chrono::milliseconds(50);
inline constexpr Duration kConnectionAttemptDelay = std::chrono::milliseconds(250);
// Resolution and all attempts together.
inline constexpr Duration kConnectTimeout = std::chrono::seconds(15);
// Addresses of one family that are tried for one name; further ones are ignored.
inline constexpr std::size_t kAddressesPerFamilyMax = 8;

// Remote endpoints that one UDP association remembers.
inline constexpr std::size_t kUdpTargetsMax = 512;
// RFC 4787 REQ-5: five minutes is the recommended default.
inline constexpr Duration kUdpIdleTime = std::chrono::minutes(5);
// Port 53 after an answer: as a rule no other follows.
inline constexpr Duration kUdpAnsweredDnsTime = std::chrono::seconds(10);

}  // namespace karst::stream::proxy
