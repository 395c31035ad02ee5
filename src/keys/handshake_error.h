#pragma once

#include "base/result.h"

namespace karst::keys {

// None of these is ever told to the peer (docs/protocol/session.md, Errors).
inline constexpr ErrorKind kFrontSealBroken{
    "handshake", "front-seal", "the front secret differs, or the message is of another connection"};
inline constexpr ErrorKind kHandshakeSealBroken{
    "handshake", "handshake-seal", "a handshake message was altered, or the keys differ"};
inline constexpr ErrorKind kCarrierMismatch{"handshake", "carrier-mismatch",
                                            "the message was made for another carrier"};
inline constexpr ErrorKind kClockSkew{"handshake", "clock-skew",
                                      "the peer's clock is more than an hour off"};
inline constexpr ErrorKind kWrongServer{"handshake", "wrong-server",
                                        "the server's identity is not the configured one"};
inline constexpr ErrorKind kAeadMismatch{
    "handshake", "aead-mismatch", "the server chose an AEAD that the capabilities do not give"};
inline constexpr ErrorKind kOkMismatch{"handshake", "ok-mismatch",
                                       "the server's OK does not repeat the negotiated values"};

// Reasons for which a server refuses M3; the peer sees no difference between them.
inline constexpr ErrorKind kClientUnknown{"handshake", "client-unknown",
                                          "the node id is not registered"};
inline constexpr ErrorKind kClientRevoked{"handshake", "client-revoked", "the client is revoked"};
inline constexpr ErrorKind kPskGenerationUnknown{
    "handshake", "psk-generation-unknown",
    "the server holds no PSK of this generation for the client"};
inline constexpr ErrorKind kInviteUnknown{"handshake", "invite-unknown",
                                          "no such invite was made here"};
inline constexpr ErrorKind kInviteExpired{"handshake", "invite-expired", "the invite has expired"};
inline constexpr ErrorKind kInviteSpent{
    "handshake", "invite-spent", "the invite has been used by another identity or is done with"};
inline constexpr ErrorKind kEnrolmentNotStored{"handshake", "enrolment-not-stored",
                                               "the client registry could not be written"};

}  // namespace karst::keys
