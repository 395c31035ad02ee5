#include "crypto/hex.h"

#include "base/check.h"
#include "crypto/secret.h"

namespace karst::crypto {
namespace {

// All ones if a < b, else zero, for a and b below 2^31.
constexpr std::uint32_t less_mask(std::uint32_t a, std::uint32_t b) { return 0 - ((a - b) >> 31); }
// All ones if low <= value <= high.
constexpr std::uint32_t within_mask(std::uint32_t value, std::uint32_t low, std::uint32_t high) {
  return ~less_mask(value, low) & ~less_mask(high, value);
}

constexpr std::uint8_t digit(std::uint32_t nibble) {
  return static_cast<std::uint8_t>('0' + nibble + (less_mask(9, nibble) & ('a' - '0' - 10)));
}

// The nibble of a character, with `bad` set to all ones if it is none.
constexpr std::uint32_t nibble(char character, std::uint32_t& bad) {
  const std::uint32_t c = static_cast<unsigned char>(character);
  const std::uint32_t decimal = within_mask(c, '0', '9');
  const std::uint32_t letter = within_mask(c, 'a', 'f');
  bad |= ~(decimal | letter);
  return ((c - '0') & decimal) | ((c - 'a' + 10) & letter);
}

}  // namespace

void hex_encode(Bytes bytes, MutableBytes text) {
  CHECK(text.size() == 2 * bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    text[2 * i] = digit(bytes[i] >> 4);
    text[2 * i + 1] = digit(bytes[i] & 15);
  }
}

Result<void> hex_decode(std::string_view text, MutableBytes bytes) {
  std::uint32_t bad = text.size() == 2 * bytes.size() ? 0 : ~0u;
  if (bad == 0) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::uint32_t high = nibble(text[2 * i], bad);
      bytes[i] = static_cast<std::uint8_t>(high << 4 | nibble(text[2 * i + 1], bad));
    }
  }
  if (bad == 0) return {};
  wipe(bytes);
  return kBadHex;
}

}  // namespace karst::crypto
