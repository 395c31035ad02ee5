#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"
#include "wire/frame.h"

namespace karst::wire {

inline constexpr ErrorKind kGoAwayMalformed{"wire", "goaway-malformed", "a GOAWAY cannot be read"};

enum class GoAwayReason : std::uint8_t {
  shutdown = 1,
  replaced = 2,
  revoked = 3,
  quota = 4,
  protocol_error = 5,
  internal = 6,
};

struct GoAway {
  GoAwayReason reason = GoAwayReason::internal;
  StreamId last{};  // the highest stream that its sender serves (server) or opened (client)

  bool operator==(const GoAway&) const = default;
};

inline constexpr std::size_t kGoAwayBytes = 5;

void format(const GoAway& goaway, Writer& out);
Result<GoAway> parse_goaway(Bytes payload);

}  // namespace karst::wire
