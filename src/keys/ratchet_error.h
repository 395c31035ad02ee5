#pragma once

#include "base/result.h"

namespace karst::keys {

// How a ratchet ends its link; docs/protocol/ratchet.md states each rule. All of them are final.
inline constexpr ErrorKind kOfferOutOfOrder{
    "ratchet", "offer-out-of-order", "the peer's offers do not follow one another without a gap"};
inline constexpr ErrorKind kOfferBeyondWindow{"ratchet", "offer-beyond-window",
                                              "the peer offers more epochs ahead than was agreed"};
inline constexpr ErrorKind kOfferBadKey{"ratchet", "bad-offer-key",
                                        "a public key in an offer failed its required check"};
inline constexpr ErrorKind kAckUnsolicited{"ratchet", "ack-unsolicited",
                                           "the peer acknowledges an offer that was never made"};
inline constexpr ErrorKind kAckOutOfOrder{"ratchet", "ack-out-of-order",
                                          "the peer acknowledges offers in another order"};
inline constexpr ErrorKind kAckBadKey{"ratchet", "bad-ack-key",
                                      "the public key in an acknowledgement failed its check"};
inline constexpr ErrorKind kAckDeadline{"ratchet", "ack-deadline",
                                        "the peer did not acknowledge an offer in time"};

inline constexpr ErrorKind kNoEpochLeft{
    "ratchet", "no-epoch-left",
    "the current epoch is over, none is prepared and no offer is on its way to bring one"};

inline constexpr ErrorKind kWrongEpoch{"ratchet", "wrong-epoch",
                                       "a record names an epoch that is not due"};
inline constexpr ErrorKind kWrongSequence{"ratchet", "wrong-sequence",
                                          "a record does not follow the record before it"};
inline constexpr ErrorKind kRecordNotAuthentic{"ratchet", "record-not-authentic",
                                               "a record was altered or its key is wrong"};
inline constexpr ErrorKind kEpochExpired{"ratchet", "epoch-expired",
                                         "a record came after its epoch's lifetime"};
inline constexpr ErrorKind kBudgetExceeded{"ratchet", "budget-exceeded",
                                           "the peer sent more in one epoch than was agreed"};
inline constexpr ErrorKind kTooManyForgeries{
    "ratchet", "too-many-forgeries", "more packets failed to authenticate than the cipher allows"};

}  // namespace karst::keys
