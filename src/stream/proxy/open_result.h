#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace karst::stream::proxy {

// How the far end's attempt to reach a target went: the meanings of the mux's OPEN_RESULT. These
// are no wire values.
enum class OpenResult : std::uint8_t {
  ok,
  refused,
  network_unreachable,
  host_unreachable,
  timed_out,
  forbidden,
  name_not_found,
  limit,
  internal,
};
inline constexpr std::size_t kOpenResults = 9;

// The one table of what a client is told about each result.
struct OpenAnswer {
  std::uint8_t socks5;          // RFC 1928 section 6
  std::uint16_t http;           // RFC 9110 section 15
  std::string_view http_error;  // RFC 9209 section 2.3, for Proxy-Status; empty for ok
  std::string_view text;        // for a person
};
const OpenAnswer& answer(OpenResult result);

}  // namespace karst::stream::proxy
