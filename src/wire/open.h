#pragma once

#include <optional>

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"
#include "wire/target.h"

namespace karst::wire {

inline constexpr ErrorKind kOpenMalformed{"wire", "open-malformed", "an OPEN cannot be read"};

enum class StreamKind : std::uint8_t { tcp = 1, udp = 2 };

// OPEN: a TCP connection to `target`, or without one a UDP association.
struct Open {
  std::optional<Target> target;

  StreamKind kind() const { return target ? StreamKind::tcp : StreamKind::udp; }
  bool operator==(const Open&) const = default;
};

inline constexpr std::size_t kOpenBytesMax = 2 + kTargetBytesMax;

std::size_t formatted_size(const Open& open);
void format(const Open& open, Writer& out);
Result<Open> parse_open(Bytes payload);

}  // namespace karst::wire
