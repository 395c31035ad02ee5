#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "base/time.h"

namespace karst::stream::cover {

using namespace std::chrono_literals;

// Bounds on what a stranger can make the site hold or wait for.

// A request's line and headers, or its HTTP/2 header list: beyond it 431.
inline constexpr std::size_t kRequestHeaderBytesMax = 32 * 1024;
// The same for what the backend answers: beyond it 502.
inline constexpr std::size_t kResponseHeaderBytesMax = 64 * 1024;
inline constexpr std::size_t kHeadersMax = 200;
// The request's path with its query: beyond it 414.
inline constexpr std::size_t kTargetBytesMax = 8 * 1024;
// The body of a request (beyond it 413) and of a backend's answer (beyond it 502, or a broken
// answer when its length was not announced).
inline constexpr std::uint64_t kBodyBytesMax = 8 * 1024 * 1024;
// A chunked request body with its framing, so that chunk extensions and trailers end somewhere.
inline constexpr std::uint64_t kFramedBodyBytesMax = 2 * kBodyBytesMax;
// What is held between a client and the backend, in each direction of one exchange. Whoever sends
// faster than the other side takes is not read any more.
inline constexpr std::size_t kRelayBytesMax = 64 * 1024;

// Requests in progress; more wait their turn (work_limit.h).
inline constexpr std::size_t kExchangesPerConnectionMax = 4;
inline constexpr std::size_t kExchangesPerProcessMax = 32;

// The ordinary time-outs of a web server; those of nginx 1.22 where it has one.
inline constexpr Duration kRequestHeaderTimeout = 60s;  // from accept, or from its first byte
inline constexpr Duration kRequestBodyTimeout = 60s;    // between two pieces
inline constexpr Duration kSendTimeout = 60s;           // between two pieces taken by the client
inline constexpr Duration kKeepAliveTimeout = 75s;      // between two requests
inline constexpr Duration kBackendTimeout = 60s;        // between two signs of life of either side

// The public WebSocket (live_socket.h).
inline constexpr std::size_t kLiveMessageBytesMax = 16 * 1024;
inline constexpr std::size_t kLiveOutputBytesMax = 16 * 1024;  // unread by the client
inline constexpr std::size_t kLiveMessagesPerSecondMax = 20;
inline constexpr Duration kLiveNewsEvery = 10s;
inline constexpr Duration kLivePingAfter = 30s;
inline constexpr Duration kLiveIdleTimeout = 75s;
inline constexpr Duration kLiveCloseTimeout =
    10s;  // for the client's half of the closing handshake
// A WebSocket of the backend on which neither side has said anything.
inline constexpr Duration kBackendSocketTimeout = 10min;

// A site that is read from a directory into memory.
inline constexpr std::size_t kSiteFileBytesMax = 8 * 1024 * 1024;
inline constexpr std::size_t kSiteBytesMax = 64 * 1024 * 1024;
inline constexpr std::size_t kSiteFilesMax = 4096;

}  // namespace karst::stream::cover
