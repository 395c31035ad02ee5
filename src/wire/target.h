#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "base/ip.h"
#include "base/reader.h"
#include "base/writer.h"
#include "wire/limits.h"

namespace karst::wire {

// Where a stream or datagram goes to or comes from. A name is 1 to 253 bytes of 0x21..0x7e; whether
// it is a name that can be resolved is not known here.
struct Target {
  std::variant<IpAddress, std::string> host;
  std::uint16_t port = 0;  // not 0

  bool operator==(const Target&) const = default;
};

// What a name must be to travel. To be asked before a Target is made from a name.
bool is_target_name(std::string_view text);

std::size_t formatted_size(const Target& target);
void format(const Target& target, Writer& out);
// Reads from the front; makes the reader fail on anything that is no target.
Target read_target(Reader& in);

}  // namespace karst::wire
