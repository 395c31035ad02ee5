#include "wire/target.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "wire/address_type.h"

namespace karst::wire {

std::size_t formatted_size(const Target& target) {
  const auto* name = std::get_if<std::string>(&target.host);
  return name ? 1 + 1 + name->size() + 2 : 1 + std::get<IpAddress>(target.host).bytes().size() + 2;
}

void format(const Target& target, Writer& out) {
  CHECK(target.port != 0);
  if (const auto* name = std::get_if<std::string>(&target.host)) {
    CHECK(is_target_name(*name));
    out.u8(kAddressName);
    out.u8(static_cast<std::uint8_t>(name->size()));
    out.bytes(as_bytes(*name));
  } else {
    write_address(std::get<IpAddress>(target.host), out);
  }
  out.u16(target.port);
}

Target read_target(Reader& in) {
  Target target;
  const std::uint8_t type = in.u8();
  if (type == kAddressName) {
    target.host.emplace<std::string>(as_text(in.bytes(in.u8())));
    if (!is_target_name(std::get<std::string>(target.host))) in.fail();
  } else {
    target.host = read_address(type, in);
  }
  target.port = in.u16();
  if (target.port == 0) in.fail();
  return target;
}

bool is_target_name(std::string_view text) {
  return !text.empty() && text.size() <= kHostBytesMax && is_visible_ascii(text);
}

}  // namespace karst::wire
