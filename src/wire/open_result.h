#pragma once

#include <optional>

#include "base/bytes.h"
#include "base/ip.h"
#include "base/result.h"
#include "base/writer.h"

namespace karst::wire {

inline constexpr ErrorKind kOpenResultMalformed{"wire", "open-result-malformed",
                                                "an OPEN_RESULT cannot be read"};

enum class OpenCode : std::uint8_t {
  ok = 0,
  refused = 1,
  network_unreachable = 2,
  host_unreachable = 3,
  timed_out = 4,
  forbidden = 5,
  name_not_found = 6,
  limit = 7,
  internal = 8,
};

// OPEN_RESULT. `bound`, the address that the server sends from, only with ok.
struct OpenResult {
  OpenCode code = OpenCode::internal;
  std::optional<Endpoint> bound;

  bool operator==(const OpenResult&) const = default;
};

inline constexpr std::size_t kOpenResultBytesMax = 1 + 1 + 16 + 2;

std::size_t formatted_size(const OpenResult& result);
void format(const OpenResult& result, Writer& out);
Result<OpenResult> parse_open_result(Bytes payload);

}  // namespace karst::wire
