#include "wire/reset.h"

#include "base/reader.h"

namespace karst::wire {

void format(const Reset& reset, Writer& out) { out.u8(static_cast<std::uint8_t>(reset.reason)); }

Result<Reset> parse_reset(Bytes payload) {
  Reader in(payload);
  const std::uint8_t reason = in.u8();
  if (!in.finished() || reason > static_cast<std::uint8_t>(ResetReason::internal)) {
    return kResetMalformed;
  }
  return Reset{static_cast<ResetReason>(reason)};
}

}  // namespace karst::wire
