#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"

namespace karst::wire {

inline constexpr ErrorKind kPingMalformed{"wire", "ping-malformed",
                                          "a PING or PONG cannot be read"};

// PING, and the PONG that answers it with the same token.
struct Ping {
  std::uint64_t token = 0;

  bool operator==(const Ping&) const = default;
};

inline constexpr std::size_t kPingBytes = 8;

void format(const Ping& ping, Writer& out);
Result<Ping> parse_ping(Bytes payload);

}  // namespace karst::wire
