#pragma once

#include "base/result.h"
#include "wire/goaway.h"

// Why one end has ended a link, in words: what a GOAWAY says, for the logs of both ends.
namespace karst::stream {

inline constexpr ErrorKind kEndedByShutdown{"link", "shutdown", "the server is being stopped"};
inline constexpr ErrorKind kReplaced{"link", "replaced",
                                     "a newer link of the same client took this one's place"};
inline constexpr ErrorKind kRevoked{"link", "revoked", "the server's keeper revoked this client"};
inline constexpr ErrorKind kOverQuota{"link", "quota", "the client went beyond its limits"};
inline constexpr ErrorKind kPeerBrokeProtocol{"link", "protocol-error",
                                              "the other end calls what came from here wrong"};
inline constexpr ErrorKind kEndedInternally{"link", "internal",
                                            "the other end could not go on by itself"};

const ErrorKind& link_end(wire::GoAwayReason reason);

}  // namespace karst::stream
