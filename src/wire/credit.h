#pragma once

#include "base/bytes.h"
#include "base/result.h"
#include "base/writer.h"

namespace karst::wire {

inline constexpr ErrorKind kCreditMalformed{"wire", "credit-malformed", "a CREDIT cannot be read"};

// CREDIT on a stream. Both are counted from the stream's first byte; taken <= limit <= kOffsetMax.
struct StreamCredit {
  std::uint64_t taken = 0;
  std::uint64_t limit = 0;

  bool operator==(const StreamCredit&) const = default;
};

// CREDIT on the link; at most kOffsetMax.
struct LinkCredit {
  std::uint64_t window = 0;

  bool operator==(const LinkCredit&) const = default;
};

inline constexpr std::size_t kStreamCreditBytes = 16;
inline constexpr std::size_t kLinkCreditBytes = 8;

void format(const StreamCredit& credit, Writer& out);
void format(const LinkCredit& credit, Writer& out);
Result<StreamCredit> parse_stream_credit(Bytes payload);
Result<LinkCredit> parse_link_credit(Bytes payload);

}  // namespace karst::wire
