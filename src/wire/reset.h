#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"

namespace karst::wire {

inline constexpr ErrorKind kResetMalformed{"wire", "reset-malformed", "a RESET cannot be read"};

enum class ResetReason : std::uint8_t {
  answer = 0,  // to a RESET or a failed OPEN_RESULT
  cancelled = 1,
  connection_reset = 2,
  timed_out = 3,
  limit = 4,
  memory = 5,
  going_away = 6,
  not_resumed = 7,
  internal = 8,
};

struct Reset {
  ResetReason reason = ResetReason::internal;

  bool operator==(const Reset&) const = default;
};

inline constexpr std::size_t kResetBytes = 1;

void format(const Reset& reset, Writer& out);
Result<Reset> parse_reset(Bytes payload);

}  // namespace karst::wire
