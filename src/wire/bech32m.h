#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace karst::wire {

inline constexpr ErrorKind kBadBech32m{"wire", "bad-bech32m",
                                       "the text is cut short, mistyped or not bech32m"};

// bech32m (BIP 350) of whole bytes: any single mistyped character is found. The human-readable part
// is 1 to 83 lower-case characters '!' to '~' (checked), the whole text at most 90 characters.
std::string bech32m(std::string_view human_readable, Bytes bytes);
// The bytes behind `human_readable`. All upper case is accepted, mixed case is not; the bits that
// fill up the last character must be zero.
Result<ByteVector> bech32m_decode(std::string_view human_readable, std::string_view text);

}  // namespace karst::wire
