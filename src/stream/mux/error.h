#pragma once

#include "base/result.h"

namespace karst::stream::mux {

// What a peer can do against docs/protocol/mux.md; each ends the link. detail = stream id, unless
// stated otherwise. Frames that cannot be read have their names in wire/.
inline constexpr ErrorKind kOpenFromServer{"mux", "open-from-server",
                                           "a server tried to open a stream"};
inline constexpr ErrorKind kResultFromClient{"mux", "result-from-client",
                                             "a client sent an OPEN_RESULT"};
inline constexpr ErrorKind kStreamReused{"mux", "stream-reused",
                                         "an OPEN uses a stream number a second time"};
inline constexpr ErrorKind kStreamOutOfOrder{"mux", "stream-out-of-order",
                                             "an OPEN skips stream numbers"};
inline constexpr ErrorKind kStreamUnknown{"mux", "stream-unknown",
                                          "a frame names a stream that was never opened"};
inline constexpr ErrorKind kStreamClosed{"mux", "stream-closed",
                                         "a frame names a stream that both sides have ended"};
inline constexpr ErrorKind kTooManyStreams{"mux", "too-many-streams",
                                           "more streams are open than the limit allows"};
inline constexpr ErrorKind kResultUnexpected{"mux", "result-unexpected",
                                             "a stream was answered twice"};
inline constexpr ErrorKind kBeforeResult{"mux", "before-result",
                                         "a server sent on a stream before its answer"};
inline constexpr ErrorKind kEmptyData{"mux", "empty-data", "a DATA frame is empty"};
inline constexpr ErrorKind kAfterFin{"mux", "after-fin", "a stream went on after its end"};
inline constexpr ErrorKind kFinalWrong{"mux", "final-wrong",
                                       "a FIN names another length than was received"};
inline constexpr ErrorKind kBeyondStreamCredit{"mux", "beyond-stream-credit",
                                               "a stream sent more than it was allowed"};
inline constexpr ErrorKind kBeyondLinkCredit{"mux", "beyond-link-credit",
                                             "a link sent more than it was allowed"};
inline constexpr ErrorKind kCreditBackwards{"mux", "credit-backwards",
                                            "a CREDIT takes back or changes nothing"};
inline constexpr ErrorKind kCreditBeyondSent{"mux", "credit-beyond-sent",
                                             "a CREDIT says more was taken than was sent"};
inline constexpr ErrorKind kWrongKind{"mux", "wrong-kind",
                                      "a frame does not fit the kind of its stream"};
inline constexpr ErrorKind kEmptyPacket{"mux", "empty-packet", "a PACKET holds no packet"};
inline constexpr ErrorKind kPongUnexpected{"mux", "pong-unexpected", "a PONG answers no PING"};
inline constexpr ErrorKind kGoAwayTwice{"mux", "goaway-twice", "GOAWAY came a second time"};
inline constexpr ErrorKind kRatchetFrame{"mux", "ratchet-frame",
                                         "a ratchet message was handed to the multiplexer"};
inline constexpr ErrorKind kPingFlood{"mux", "ping-flood", "too many PING or REPORT"};
inline constexpr ErrorKind kResetFlood{"mux", "reset-flood", "more RESET than streams"};
inline constexpr ErrorKind kCreditFlood{"mux", "credit-flood",
                                        "more CREDIT than streams and bytes account for"};

// What open() can answer besides kTooManyStreams.
inline constexpr ErrorKind kGoingAway{"mux", "going-away", "the link takes no new streams"};
inline constexpr ErrorKind kStreamsUsedUp{"mux", "streams-used-up",
                                          "the link has no stream numbers left"};
// What send_packet() and send_datagram() can answer.
inline constexpr ErrorKind kPacketTooLong{"mux", "packet-too-long",
                                          "a packet does not fit into one record"};

}  // namespace karst::stream::mux
