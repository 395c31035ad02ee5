#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace karst::stream::cover {

// What a Range header (RFC 9110 section 14.2) asks of something `size` bytes long.
struct ByteRange {
  enum class Kind : std::uint8_t {
    whole,          // ignore the header: another unit, several ranges, or nothing to take a part of
    part,           // 206 with [first, first + length)
    unsatisfiable,  // 416
  };
  Kind kind = Kind::whole;
  std::uint64_t first = 0;
  std::uint64_t length = 0;  // at least 1 for a part
};
ByteRange parse_byte_range(std::string_view header, std::uint64_t size);

// Digits only, no sign, without overflow: Content-Length and the numbers of a range.
std::optional<std::uint64_t> parse_decimal(std::string_view digits);

}  // namespace karst::stream::cover
