#include "wire/open.h"

namespace karst::wire {
namespace {

constexpr std::uint8_t kNoFlags = 0;

}  // namespace

std::size_t formatted_size(const Open& open) {
  return 2 + (open.target ? formatted_size(*open.target) : 0);
}

void format(const Open& open, Writer& out) {
  out.u8(static_cast<std::uint8_t>(open.kind()));
  out.u8(kNoFlags);
  if (open.target) format(*open.target, out);
}

Result<Open> parse_open(Bytes payload) {
  Reader in(payload);
  const auto kind = static_cast<StreamKind>(in.u8());
  if (in.u8() != kNoFlags) return kOpenMalformed;
  Open open;
  if (kind == StreamKind::tcp) {
    open.target = read_target(in);
  } else if (kind != StreamKind::udp) {
    return kOpenMalformed;
  }
  if (!in.finished()) return kOpenMalformed;
  return open;
}

}  // namespace karst::wire
