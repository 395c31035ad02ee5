#include "wire/goaway.h"

#include "base/reader.h"

namespace karst::wire {

void format(const GoAway& goaway, Writer& out) {
  out.u8(static_cast<std::uint8_t>(goaway.reason));
  out.u32(static_cast<std::uint32_t>(goaway.last));
}

Result<GoAway> parse_goaway(Bytes payload) {
  Reader in(payload);
  const std::uint8_t reason = in.u8();
  const std::uint32_t last = in.u32();
  if (!in.finished() || reason < static_cast<std::uint8_t>(GoAwayReason::shutdown) ||
      reason > static_cast<std::uint8_t>(GoAwayReason::internal) || last > kStreamIdMax) {
    return kGoAwayMalformed;
  }
  return GoAway{static_cast<GoAwayReason>(reason), StreamId{last}};
}

}  // namespace karst::wire
