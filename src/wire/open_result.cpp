#include "wire/open_result.h"

#include "base/check.h"
#include "base/reader.h"
#include "wire/address_type.h"

namespace karst::wire {

std::size_t formatted_size(const OpenResult& result) {
  if (result.code != OpenCode::ok) return 1;
  return 2 + (result.bound ? result.bound->address.bytes().size() + 2 : 0);
}

void format(const OpenResult& result, Writer& out) {
  out.u8(static_cast<std::uint8_t>(result.code));
  if (result.code != OpenCode::ok) {
    CHECK(!result.bound);
  } else if (result.bound) {
    write_address(result.bound->address, out);
    out.u16(result.bound->port);
  } else {
    out.u8(kAddressNone);
  }
}

Result<OpenResult> parse_open_result(Bytes payload) {
  Reader in(payload);
  const std::uint8_t code = in.u8();
  if (code > static_cast<std::uint8_t>(OpenCode::internal)) return kOpenResultMalformed;
  OpenResult result{static_cast<OpenCode>(code), std::nullopt};
  if (result.code == OpenCode::ok) {
    const std::uint8_t type = in.u8();
    if (type != kAddressNone) {
      const IpAddress address = read_address(type, in);
      result.bound = Endpoint{address, in.u16()};
    }
  }
  if (!in.finished()) return kOpenResultMalformed;
  return result;
}

}  // namespace karst::wire
