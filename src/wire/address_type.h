#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ip.h"
#include "base/reader.h"
#include "base/writer.h"

// The pieces that the addresses of several messages share (docs/protocol/mux.md, Targets).
namespace karst::wire {

inline constexpr std::uint8_t kAddressNone = 0;
inline constexpr std::uint8_t kAddressV4 = 1;
inline constexpr std::uint8_t kAddressName = 3;
inline constexpr std::uint8_t kAddressV6 = 4;

inline bool is_visible_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x21 && c <= 0x7e; });
}

// The type and the address, without a port.
inline void write_address(const IpAddress& address, Writer& out) {
  out.u8(address.is_v4() ? kAddressV4 : kAddressV6);
  out.bytes(address.bytes());
}

// The address behind a type that has been read; makes the reader fail on any other type.
inline IpAddress read_address(std::uint8_t type, Reader& in) {
  if (type == kAddressV4) {
    std::array<std::uint8_t, 4> bytes;
    in.copy(bytes);
    return IpAddress::v4(bytes);
  }
  std::array<std::uint8_t, 16> bytes{};
  if (type == kAddressV6) {
    in.copy(bytes);
  } else {
    in.fail();
  }
  return IpAddress::v6(bytes);
}

}  // namespace karst::wire
