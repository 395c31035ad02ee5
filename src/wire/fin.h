#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"

namespace karst::wire {

inline constexpr ErrorKind kFinMalformed{"wire", "fin-malformed", "a FIN cannot be read"};

// FIN: `final` bytes were sent in this direction and no more come.
struct Fin {
  std::uint64_t final = 0;  // at most kOffsetMax

  bool operator==(const Fin&) const = default;
};

inline constexpr std::size_t kFinBytes = 8;

void format(const Fin& fin, Writer& out);
Result<Fin> parse_fin(Bytes payload);

}  // namespace karst::wire
