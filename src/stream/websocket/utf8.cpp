#include "stream/websocket/utf8.h"

#include <cstdint>
#include <cstring>

namespace karst::stream::websocket {
namespace {

bool is_tail(std::uint8_t byte) { return (byte & 0xc0) == 0x80; }

// How many bytes the valid multi-byte character at the front takes, or 0: the table of RFC 3629
// section 4.
std::size_t character_bytes(Bytes rest) {
  const std::uint8_t lead = rest[0];
  std::size_t count = 0;
  std::uint8_t second_min = 0x80;
  std::uint8_t second_max = 0xbf;
  if (lead >= 0xc2 && lead <= 0xdf) {
    count = 2;
  } else if (lead >= 0xe0 && lead <= 0xef) {
    count = 3;
    if (lead == 0xe0) second_min = 0xa0;
    if (lead == 0xed) second_max = 0x9f;
  } else if (lead >= 0xf0 && lead <= 0xf4) {
    count = 4;
    if (lead == 0xf0) second_min = 0x90;
    if (lead == 0xf4) second_max = 0x8f;
  }
  if (count == 0 || rest.size() < count) return 0;
  if (rest[1] < second_min || rest[1] > second_max) return 0;
  for (std::size_t i = 2; i < count; ++i) {
    if (!is_tail(rest[i])) return 0;
  }
  return count;
}

}  // namespace

bool valid_utf8(Bytes bytes) {
  while (!bytes.empty()) {
    if (bytes.size() >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data(), 8);
      if ((word & 0x8080808080808080) == 0) {
        bytes = bytes.subspan(8);
        continue;
      }
    }
    if (bytes[0] < 0x80) {
      bytes = bytes.subspan(1);
      continue;
    }
    const std::size_t count = character_bytes(bytes);
    if (count == 0) return false;
    bytes = bytes.subspan(count);
  }
  return true;
}

}  // namespace karst::stream::websocket
