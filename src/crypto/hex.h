#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::crypto {

inline constexpr ErrorKind kBadHex{"crypto", "bad-hex",
                                   "the text is not lower-case hex of the awaited length"};

// Lower-case hex of secrets: time and memory accesses depend on the length only.

// Writes two characters for each byte; `text` is exactly twice as long (checked).
void hex_encode(Bytes bytes, MutableBytes text);
// Fills `bytes` from a text of exactly twice its length. On kBadHex `bytes` is all zero.
Result<void> hex_decode(std::string_view text, MutableBytes bytes);

}  // namespace karst::crypto
