#include "stream/link_end.h"

namespace karst::stream {

const ErrorKind& link_end(wire::GoAwayReason reason) {
  switch (reason) {
    case wire::GoAwayReason::shutdown:
      return kEndedByShutdown;
    case wire::GoAwayReason::replaced:
      return kReplaced;
    case wire::GoAwayReason::revoked:
      return kRevoked;
    case wire::GoAwayReason::quota:
      return kOverQuota;
    case wire::GoAwayReason::protocol_error:
      return kPeerBrokeProtocol;
    case wire::GoAwayReason::internal:
      return kEndedInternally;
  }
  return kEndedInternally;
}

}  // namespace karst::stream
